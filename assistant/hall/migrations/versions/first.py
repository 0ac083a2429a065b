"""The first tables of a hall."""

from __future__ import annotations

from alembic import op

from assistant.hall.schema import METADATA

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes them."""
    METADATA.create_all(op.get_bind())


def downgrade() -> None:
    """Takes them away."""
    METADATA.drop_all(op.get_bind())
