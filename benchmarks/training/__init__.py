"""Training data and training of the networks that read a top view: `docs/training.md` has the whole recipe."""
