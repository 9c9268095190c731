"""The grammar: from items to raw claims, one pass from left to right.

A sentence is read as a subject (an indicator, the price, the position, a pronoun), what joins it to a value (a verb, `=`, a comparison,
an approximation), and the value: a number, a range, another indicator, or a reading in words. Clause borders end what was pending;
a clause without a subject of its own goes on with the last one (`RSI 57.9, above 50`). Nothing is judged here.

`HANDLERS` names the function for each category of item (`words/categories.py` says what they mean); all of them work on one
`ReaderState`. An item whose mode says that it states nothing about now is read only for the pronouns that may follow it.
"""

from collections.abc import Callable, Mapping, Sequence

from engine.grounding.grammar.borders import end_clause, read_border
from engine.grounding.grammar.frames import read_frame
from engine.grounding.grammar.joining import (
    read_closing_bracket,
    read_comparison,
    read_consequence,
    read_direction,
    read_joining_word,
    read_muted,
    read_opening_bracket,
    read_pipe,
    read_speaker,
    read_unknown,
    read_versus,
)
from engine.grounding.grammar.raw_claim import RawClaim
from engine.grounding.grammar.scopes import PAST_MODE, WEAK_DEFINITION
from engine.grounding.grammar.state import ReaderState
from engine.grounding.grammar.states import read_postposition, read_state
from engine.grounding.grammar.subjects import (
    mute_clause,
    read_asset,
    read_extreme,
    read_indicator,
    read_position,
    read_pronoun,
    read_side,
    read_trade,
)
from engine.grounding.grammar.values import read_count, read_value
from engine.grounding.lexer.item import Item
from engine.grounding.words import categories as c

_SOFT = frozenset({c.FILL, c.LINK, c.NOW, c.OPEN, c.AND, c.HEDGE, c.THEN, c.NUM, c.RANGE})
_NAMING = frozenset({c.IND, c.STATE})
_BORDERS = frozenset({c.WEAK, c.CONJ, c.STRONG})

Handler = Callable[[ReaderState, int, Item], None]

HANDLERS: Mapping[str, Handler] = {
    c.IND: read_indicator, c.NUM: read_value, c.RANGE: read_value, c.COUNT: read_count, c.FRAME: read_frame,
    c.CMP: read_comparison, c.POST: read_postposition, c.STATE: read_state, c.IT: read_pronoun, c.SINK: mute_clause,
    c.TRADE: read_trade, c.ASSET: read_asset, c.POSITION: read_position, c.SIDE: read_side, c.SPEAKER: read_speaker,
    c.DIR: read_direction, c.UNKNOWN: read_unknown, c.WEAK: read_border, c.CONJ: read_border, c.STRONG: read_border,
    c.PIPE: read_pipe, c.FUZZY: read_extreme, c.OPEN: read_opening_bracket, c.THEN: read_consequence,
    c.CLOSE: read_closing_bracket, c.VERSUS: read_versus,
}  # fmt: skip
"""What is done at an item of each category; all others are `read_joining_word`."""


def read_raw_claims(state: ReaderState) -> Sequence[RawClaim]:
    """Return every claim of the items in `state`, in reading order."""
    for index, item in enumerate(state.items):
        if item.mode and item.mode not in {PAST_MODE, WEAK_DEFINITION} and item.cat not in _BORDERS:
            read_muted(state, index, item)
            continue
        HANDLERS.get(item.cat, read_joining_word)(state, index, item)
        if item.cat == c.MEAN or (item.cat in _NAMING and state.kind_at(index) == "volume"):
            state.clause.names_volume = True
        if item.cat not in _SOFT:
            state.clause.is_soft = state.clause.is_soft and item.cat in _BORDERS
    end_clause(state, len(state.items))
    return state.claims
