"""Runs the migrations on the connection that the hall hands over."""

from __future__ import annotations

from alembic import context

from assistant.hall.schema import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
