"""The hall's tables in SQLAlchemy Core; `migrations/` brings a database to them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

METADATA = MetaData()

TABLES = Table(
    "tables",
    METADATA,
    Column("name", String(80), primary_key=True),
    Column("last_seq", BigInteger, nullable=False),
    Column("state", JSON, nullable=False),  # pinpoint.state/1 without what `scene` holds: small, changes often
    Column("scene", JSON),  # scene, names and rulings of the newest settled state: large, changes with a move
    Column("seen_at", Float, nullable=False),  # wall clock, seconds since the epoch
    Column("changed_at", Float, nullable=False),  # when state or scene last changed
    Column("on_air", Integer, nullable=False),
    Column("log", String(64), nullable=False, server_default=""),  # identity of the log that is reported now
    Column("base", BigInteger, nullable=False, server_default="0"),  # its first entry has the number base + 1
)

LOGS = Table(
    "logs",
    METADATA,
    Column("table_name", String(80), ForeignKey("tables.name"), primary_key=True),
    Column("log", String(64), primary_key=True),  # identity of an earlier log of the table
    Column("taken", BigInteger, nullable=False),  # entries of it that arrived
)

ENTRIES = Table(
    "entries",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table_name", String(80), ForeignKey("tables.name"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("t_s", Float, nullable=False),
    Column("kind", String(20), nullable=False),  # event, scene, lost
    Column("body", JSON, nullable=False),
    Column("received_at", Float, nullable=False),
    UniqueConstraint("table_name", "seq"),  # exactly once
)

PICTURES = Table(
    "pictures",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table_name", String(80), ForeignKey("tables.name"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("jpeg", LargeBinary, nullable=False),
    UniqueConstraint("table_name", "seq"),
)

QUEUE = Table(
    "queue",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table_name", String(80), ForeignKey("tables.name"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("kind", String(20), nullable=False),  # call, violation, close call
    Column("text", String(500), nullable=False),
    Column("asked_at", Float, nullable=False),
    Column("answer", String(500)),
    Column("answered_by", String(80)),
    Column("answered_at", Float),
    Column("heard_at", Float),  # when the table's log had the answer
    Column("evidence_done", Integer, nullable=False, server_default="0"),  # whether the table has sent all it has
    Column("settled", Integer, nullable=False, server_default="0"),  # whether nothing more is to be exchanged about it
    UniqueConstraint("table_name", "seq"),
    Index("queue_unsettled", "table_name", postgresql_where=text("settled = 0"), sqlite_where=text("settled = 0")),
)

EVIDENCE = Table(
    "evidence",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table_name", String(80), ForeignKey("tables.name"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("name", String(40), nullable=False),  # card.png, gap.png, clip.mp4
    Column("content", LargeBinary, nullable=False),
    UniqueConstraint("table_name", "seq", "name"),
)

PAIRINGS = Table(
    "pairings",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("round", Integer, nullable=False),
    Column("table_name", String(80), nullable=False),
    Column("first", String(120), nullable=False),
    Column("second", String(120), nullable=False),
    Column("first_score", Float),
    Column("second_score", Float),
    UniqueConstraint("round", "table_name"),
)

SECRETS = Table(
    "secrets",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("role", String(40), nullable=False),  # spectator, table, judge
    Column("digest", String(64), nullable=False),  # SHA-256: the key itself is stored nowhere
    UniqueConstraint("role", "digest"),
)
