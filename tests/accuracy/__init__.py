"""Accuracy gate: floors, metamorphic relations and regression pins on shipped and drawn tables."""
