"""One press of a button that opens and shuts, or begins and ends: counted once, however often it arrives."""

from time import monotonic
from typing import Final

import streamlit as st

_PRESSES: Final = "presses"
_ONCE_S: Final = 0.5


def is_repeated(button: str) -> bool:
    """Return whether a press of this button was taken a moment ago, and note this one. While a part of a page is drawn again by itself
    Streamlit may hand over one press twice, some milliseconds apart, and a hasty hand presses twice: what one opened the other would
    shut."""
    presses: dict[str, float] = st.session_state.setdefault(_PRESSES, {})
    now, before = monotonic(), presses.get(button)
    presses[button] = now
    return before is not None and now - before < _ONCE_S
