"""Which table a text is read with: by the path of a case, as the grounding convention names it."""

from engine.domain.errors import BadInput
from engine.grounding.tables.crypto import CRYPTO
from engine.grounding.tables.equity import EQUITY
from engine.grounding.tables.table import IndicatorTable

_BY_PATH = {"entry": CRYPTO, "position": CRYPTO, "equity": EQUITY}


def table_of(path: str | None) -> IndicatorTable:
    """Return the table for `entry`, `position` or `equity`; None and empty mean a market's. Raises BadInput naming the paths there are."""
    found = _BY_PATH.get(path or "entry")
    if found is None:
        raise BadInput(f"'path' is {path!r:.40}; it must be one of {', '.join(_BY_PATH)}")
    return found
