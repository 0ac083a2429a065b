"""Scenes: what lies on a table at one settled moment, as values, JSON and text."""
