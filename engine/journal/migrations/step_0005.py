"""Step 0005: a proposal's row holds the seal of its run's log. Those that there were have none."""

from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Text

if TYPE_CHECKING:
    from alembic.operations import Operations


def upgrade(connection: Connection, operations: "Operations") -> None:
    """Add the column."""
    operations.add_column("proposals", Column("log", Text))
