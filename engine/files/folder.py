"""The files of a folder, by name."""

from pathlib import Path

from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason


def files_in(folder: Path, of_what: str, levels: int = 0) -> list[Path]:
    """Return what the folder holds, by name, and after it what its folders hold, `levels` deep; hidden ones are left alone.

    Raises BadInput when it cannot be opened. of_what: what should be recorded there, for the message.
    """
    try:
        found = sorted(folder.iterdir(), key=lambda path: path.name)
        below = [path for path in found if levels > 0 and path.is_dir() and not path.name.startswith(".")]
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(Reason("data_folder_cannot_be_opened", folder=str(folder)[:200], why=why, of_what=of_what)) from error
    return [*(path for path in found if path not in below), *(path for each in below for path in files_in(each, of_what, levels - 1))]
