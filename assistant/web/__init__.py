"""The game on other screens: a feed, pages and overlays over HTTP, and webhooks. Nothing here is waited for."""
