"""Round pieces that are not cards: chips, coins, checkers, buttons, of known or unknown sizes."""
