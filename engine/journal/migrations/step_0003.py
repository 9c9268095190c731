"""Step 0003: memories are dated by the instant up to which they knew, and found by it. Those that there were have no date."""

from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, String

if TYPE_CHECKING:
    from alembic.operations import Operations


def upgrade(connection: Connection, operations: "Operations") -> None:
    """Add the date and its index."""
    operations.add_column("memories", Column("dated", String(40), nullable=False, server_default=""))
    operations.create_index("memories_by_date", "memories", ["flow", "subject", "name", "dated", "written_at"])
