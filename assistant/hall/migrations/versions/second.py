"""Several logs of a table, evidence of questions, acknowledged answers, scenes apart from states, keys that stay."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds them; what is there stays."""
    op.add_column("tables", sa.Column("scene", sa.JSON))
    op.add_column("tables", sa.Column("log", sa.String(64), nullable=False, server_default=""))
    op.add_column("tables", sa.Column("base", sa.BigInteger, nullable=False, server_default="0"))
    op.create_table(
        "logs",
        sa.Column("table_name", sa.String(80), sa.ForeignKey("tables.name"), primary_key=True),
        sa.Column("log", sa.String(64), primary_key=True),
        sa.Column("taken", sa.BigInteger, nullable=False),
    )
    op.add_column("tables", sa.Column("changed_at", sa.Float, nullable=False, server_default="0"))
    op.add_column("queue", sa.Column("heard_at", sa.Float))
    op.add_column("queue", sa.Column("evidence_done", sa.Integer, nullable=False, server_default="0"))
    op.add_column("queue", sa.Column("settled", sa.Integer, nullable=False, server_default="0"))
    op.execute("UPDATE queue SET settled = 1, evidence_done = 1 WHERE answered_at IS NOT NULL")
    unsettled = sa.text("settled = 0")
    op.create_index("queue_unsettled", "queue", ["table_name"], postgresql_where=unsettled, sqlite_where=unsettled)
    op.create_table(
        "evidence",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_name", sa.String(80), sa.ForeignKey("tables.name"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("table_name", "seq", "name"),
    )
    op.drop_table("secrets")
    op.create_table(
        "secrets",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("role", sa.String(40), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.UniqueConstraint("role", "digest"),
    )


def downgrade() -> None:
    """Takes them away."""
    op.drop_table("secrets")
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    op.drop_table("logs")
    op.drop_table("evidence")
    op.drop_index("queue_unsettled", "queue")
    for table, columns in (
        ("queue", ("settled", "evidence_done", "heard_at")),
        ("tables", ("changed_at", "base", "log", "scene")),
    ):
        for column in columns:
            op.drop_column(table, column)
