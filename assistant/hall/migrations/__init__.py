"""Alembic's migrations of the hall's database."""
