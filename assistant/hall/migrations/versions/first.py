"""The first tables of a hall, as they were: later changes are migrations of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NAMES = ("secrets", "pairings", "queue", "pictures", "entries", "tables")


def upgrade() -> None:
    """Makes them."""
    op.create_table(
        "tables",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("last_seq", sa.BigInteger, nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
        sa.Column("on_air", sa.Integer, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_name", sa.String(80), sa.ForeignKey("tables.name"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("t_s", sa.Float, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("received_at", sa.Float, nullable=False),
        sa.UniqueConstraint("table_name", "seq"),
    )
    op.create_table(
        "pictures",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_name", sa.String(80), sa.ForeignKey("tables.name"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("jpeg", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("table_name", "seq"),
    )
    op.create_table(
        "queue",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_name", sa.String(80), sa.ForeignKey("tables.name"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("text", sa.String(500), nullable=False),
        sa.Column("asked_at", sa.Float, nullable=False),
        sa.Column("answer", sa.String(500)),
        sa.Column("answered_by", sa.String(80)),
        sa.Column("answered_at", sa.Float),
        sa.UniqueConstraint("table_name", "seq"),
    )
    op.create_table(
        "pairings",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("table_name", sa.String(80), nullable=False),
        sa.Column("first", sa.String(120), nullable=False),
        sa.Column("second", sa.String(120), nullable=False),
        sa.Column("first_score", sa.Float),
        sa.Column("second_score", sa.Float),
        sa.UniqueConstraint("round", "table_name"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
    )


def downgrade() -> None:
    """Takes them away."""
    for name in _NAMES:
        op.drop_table(name)
