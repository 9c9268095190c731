"""The file of checkpoints is opened once and released once, whatever happens at the same moment."""

import asyncio
from pathlib import Path

import pytest

from engine.runs.checkpoints import Checkpoints


async def _nothing(_: str) -> None:
    pass


async def test_what_is_just_being_opened_is_released_too(tmp_path: Path) -> None:
    """A run can fail before its first checkpoint: its process then ends while the file is being opened."""
    checkpoints = Checkpoints(tmp_path / "checkpoints.db", _nothing, own=True)
    opening = asyncio.create_task(checkpoints.saver())
    await asyncio.sleep(0)
    assert not opening.done()
    await checkpoints.close()
    saver = await opening
    with pytest.raises(ValueError, match="no active connection"):
        await saver.conn.execute("SELECT 1")
