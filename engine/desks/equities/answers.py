"""Reads the closing blocks of the desk's roles: `key: value` lines behind a heading, in either language.

Pure. Given a whole answer, gives a frozen block, or raises Unreadable naming the key and what was found: an answer is never half read and
never guessed, and one that states two votes is none. Whether an order may be given is decided elsewhere.
"""

import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from functools import partial

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason
from engine.llm.agreement import Readers, Voting, must_agree, stated
from engine.llm.blocks import closing_block, plain, values_in
from engine.llm.values import Unreadable, confidence, is_nothing, number, price, undressed, word

_VIEW_KEYS = ("direction", "confidence")
_PLAN_KEYS = ("action", "confidence")
_TRADE_KEYS = ("action", "quantity", "limit_price", "stop_price", "target_price", "confidence")
_ALL_KEYS = frozenset((*_VIEW_KEYS, *_TRADE_KEYS))
_AT_MARKET = frozenset({"MARKET", "AT MARKET", "MARKET PRICE", "MARKET ORDER", "MKT", "市价", "市價", "市价单"})
_COMMENT = re.compile(r"(?<=\S)\s*[(\[].*$", re.DOTALL)
_SHARES = re.compile(r"(?<![^\W\d])shares?(?![^\W_])|股", re.IGNORECASE)
_OTHER_THAN_SHARES = re.compile(r"[%$¥€£₿元倍分点]|percent|pct|usd|points?|times|\dx", re.IGNORECASE)
_CURRENCY = re.compile(r"(?:US|HK)(?=\$)|(?:RMB|CNY|HKD)(?=\s*\d)|(?<=\d)\s*(?:[港美]?元|人民币|港币|RMB|CNY|HKD)\s*$", re.IGNORECASE)
_CHINESE = {
    "买入": "BUY", "買入": "BUY", "賣出": "SELL", "卖出": "SELL", "持有": "HOLD", "观望": "HOLD",
    "看涨": "BULLISH", "看多": "BULLISH", "看跌": "BEARISH", "看空": "BEARISH", "中性": "NEUTRAL",
}  # fmt: skip


class ViewDirection(StrEnum):
    """Where an analyst sees it going."""

    BULLISH = "BULLISH"
    BEARISH = "BEARISH"
    NEUTRAL = "NEUTRAL"


class TradeAction(StrEnum):
    """What is to be done with shares."""

    BUY = "BUY"
    SELL = "SELL"
    HOLD = "HOLD"


class ViewBlock(FrozenModel):
    """An analyst's view. confidence: 0-100."""

    direction: ViewDirection
    confidence: float


NO_VIEW = ViewBlock(direction=ViewDirection.NEUTRAL, confidence=50.0)
"""What a report without a readable closing block counts as: 50 means no view."""


class PlanBlock(FrozenModel):
    """The research manager's plan. confidence: 0-100."""

    action: TradeAction
    confidence: float


class TradeBlock(FrozenModel):
    """What the risk judge rules and the trader orders. quantity: shares, 0 with HOLD. limit_price: None = at market. stop_price,
    target_price: None = none. confidence: 0-100."""

    action: TradeAction
    quantity: float
    limit_price: float | None
    stop_price: float | None
    target_price: float | None
    confidence: float


def read_view(text: str) -> ViewBlock:
    """Return an analyst's closing block. Raises Unreadable."""
    found = _vote(text, _VIEW_KEYS, Voting("direction", words=("direction",)))
    return ViewBlock(
        direction=ViewDirection(_word(found, "direction", tuple(ViewDirection))), confidence=confidence(_needed(found, "confidence"))
    )


def states_view(text: str) -> bool:
    """Return whether a report has a closing block that can be read."""
    return counted_view(text) is not NO_VIEW


def counted_view(text: str) -> ViewBlock:
    """Return the view that a report counts with: the one that it states, else `NO_VIEW`."""
    try:
        return read_view(text)
    except Unreadable:
        return NO_VIEW


def read_plan(text: str) -> PlanBlock:
    """Return the research manager's closing block. Raises Unreadable."""
    found = _vote(text, _PLAN_KEYS, Voting("action", words=("action",)))
    return PlanBlock(action=TradeAction(_word(found, "action", tuple(TradeAction))), confidence=confidence(_needed(found, "confidence")))


def read_trade(text: str) -> TradeBlock:
    """Return the risk judge's or the trader's closing block. Raises Unreadable, also for a buy without a stop; the prices of HOLD need not
    be readable."""
    found = _vote(text, _TRADE_KEYS, Voting("action", words=("action",), loose=("limit_price", "stop_price", "target_price", "quantity")))
    action = TradeAction(_word(found, "action", tuple(TradeAction)))
    trades = action is not TradeAction.HOLD
    stop = _price(found, "stop_price") if trades else None
    if action is TradeAction.BUY and stop is None:
        raise Unreadable(Reason("buy_states_no_stop_price"))
    return TradeBlock(
        action=action,
        quantity=_quantity(_needed(found, "quantity")) if trades else 0.0,
        limit_price=_price(found, "limit_price") if trades else None,
        stop_price=stop,
        target_price=_price(found, "target_price") if trades else None,
        confidence=confidence(_needed(found, "confidence")),
    )


def read_words(text: str) -> str:
    """Return a debater's words. Raises Unreadable when there are none."""
    if not text.strip():
        raise Unreadable(Reason("answer_is_empty"))
    return text


def prose(text: str) -> str:
    """Return a role's words without its closing block."""
    block = closing_block(text, _ALL_KEYS)
    return (text[: block[0]] if block is not None else text).strip()


def claim_spans(text: str) -> list[tuple[int, int]]:
    """Return the parts of an answer that state something: its closing block is a vote."""
    block = closing_block(text, _ALL_KEYS)
    return [(0, block[0]), (block[1], len(text))] if block is not None else [(0, len(text))]


def _vote(text: str, keys: Collection[str], voting: Voting) -> dict[str, str]:
    """Return the values of a closing block. Raises Unreadable for an answer that states two."""
    seen = plain(text)
    found = values_in(seen, keys)
    must_agree([*stated(seen, keys, voting), *found.items()], _READERS)
    return found


def _needed(found: Mapping[str, str], key: str) -> str:
    if key not in found:
        raise Unreadable(Reason("not_found_answer_needs_line_with_one", key=key))
    return found[key]


def _word(found: Mapping[str, str], key: str, allowed: Collection[str]) -> str:
    return _spelt(_needed(found, key), allowed, key)


def _spelt(value: str, allowed: Collection[str], key: str = "word") -> str:
    text = undressed(value)
    head = re.split(r"[(\[,;:.]", text, maxsplit=1)[0].strip()
    if head not in _CHINESE:
        return word(value, allowed, key)
    remark = text[len(head) :]
    if any(other in remark and meant != _CHINESE[head] for other, meant in _CHINESE.items()):
        raise Unreadable(Reason("found_wanted_one_of", key=key, value=f"{value[:60]!r}", allowed=", ".join(allowed)))
    return word(_CHINESE[head] + remark, allowed, key)


def _quantity(value: str) -> float:
    """Return a number of shares. Money, percent and multiples are none: 5000 of them would be another order."""
    if is_nothing(value):
        return 0.0
    bare = _SHARES.sub("", _COMMENT.sub("", undressed(value)))
    shares = number(bare, "quantity")
    if shares < 0 or _OTHER_THAN_SHARES.search(bare):
        raise Unreadable(Reason("quantity_found_wanted_number_of_shares_0", value=f"{value[:30]!r}"))
    return shares


def _price(found: Mapping[str, str], key: str) -> float | None:
    value = _needed(found, key)
    bare = _COMMENT.sub("", undressed(value)).strip()
    if key == "limit_price" and bare.upper() in _AT_MARKET:
        return None
    if is_nothing(value):
        return None
    found_price = price(_CURRENCY.sub("", bare), key)
    if key == "limit_price" and found_price is None:  # a buy for nothing is never filled; at market it would be
        raise Unreadable(Reason("found_wanted_price_or_market", key=key, value=f"{value[:30]!r}"))
    return found_price


def _one_price(key: str, value: str) -> float | None:
    return _price({key: value}, key)


_READERS: Readers = {
    "direction": lambda value: _spelt(value, tuple(ViewDirection)),
    "action": lambda value: _spelt(value, tuple(TradeAction)),
    "confidence": confidence,
    "quantity": _quantity,
    **{key: partial(_one_price, key) for key in ("limit_price", "stop_price", "target_price")},
}
"""How values are compared."""
