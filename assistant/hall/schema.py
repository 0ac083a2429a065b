"""The hall's tables in SQLAlchemy Core; `migrations/` brings a database to them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

METADATA = MetaData()

TABLES = Table(
    "tables",
    METADATA,
    Column("name", String(80), primary_key=True),
    Column("last_seq", BigInteger, nullable=False, default=0),
    Column("state", JSON, nullable=False),  # pinpoint.state/1 of the newest entry
    Column("seen_at", Float, nullable=False),  # wall clock, seconds since the epoch
    Column("on_air", Integer, nullable=False, default=0),
)

ENTRIES = Table(
    "entries",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("table_name", String(80), ForeignKey("tables.name"), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("t_s", Float, nullable=False),
    Column("kind", String(20), nullable=False),  # event, scene, status
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
    UniqueConstraint("table_name", "seq"),
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
    Column("name", String(40), primary_key=True),  # judge, table
    Column("digest", String(64), nullable=False),  # SHA-256: the key itself is stored nowhere
)
