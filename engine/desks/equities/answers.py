"""Reads the closing blocks of the desk's roles: `key: value` lines behind a heading, in either language.

Pure. Given a whole answer, gives a frozen block, or raises Unreadable naming the key and what was found: an answer is never half read and
never guessed, and one that states two votes is none. Whether an order may be given is decided elsewhere.
"""

import re
from collections.abc import Collection
from enum import StrEnum

from engine.domain.frozen_model import FrozenModel
from engine.domain.text.reason import Reason
from engine.llm.blocks import Key, VoteBlock, closing_block
from engine.llm.values import Unreadable, confidence, is_nothing, number, price, undressed, word

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
    vote = _VIEW.read(text)
    return ViewBlock(direction=vote.needed("direction"), confidence=vote.needed("confidence"))


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
    vote = _PLAN.read(text)
    return PlanBlock(action=vote.needed("action"), confidence=vote.needed("confidence"))


def read_trade(text: str) -> TradeBlock:
    """Return the risk judge's or the trader's closing block. Raises Unreadable, also for a buy without a stop; the prices of HOLD need not
    be readable."""
    vote = _TRADE.read(text)
    action = vote.needed("action")
    trades = action is not TradeAction.HOLD
    stop = vote.needed("stop_price") if trades else None
    if action is TradeAction.BUY and stop is None:
        raise Unreadable(Reason("buy_states_no_stop_price"))
    return TradeBlock(
        action=action,
        quantity=vote.needed("quantity") if trades else 0.0,
        limit_price=vote.needed("limit_price") if trades else None,
        stop_price=stop,
        target_price=vote.needed("target_price") if trades else None,
        confidence=vote.needed("confidence"),
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


def _word_of(kind: type[StrEnum]) -> Key:
    """Return how one word of a list is read."""
    return Key(lambda value, key: kind(_spelt(value, tuple(kind), key)), is_word=True)


def _spelt(value: str, allowed: Collection[str], key: str) -> str:
    text = undressed(value)
    head = re.split(r"[(\[,;:.]", text, maxsplit=1)[0].strip()
    if head not in _CHINESE:
        return word(value, allowed, key)
    remark = text[len(head) :]
    if any(other in remark and meant != _CHINESE[head] for other, meant in _CHINESE.items()):
        raise Unreadable(Reason("found_wanted_one_of", key=key, value=f"{value[:60]!r}", allowed=", ".join(allowed)))
    return word(_CHINESE[head] + remark, allowed, key)


def _quantity(value: str, key: str) -> float:
    """Return a number of shares. Money, percent and multiples are none: 5000 of them would be another order."""
    if is_nothing(value):
        return 0.0
    bare = _SHARES.sub("", _COMMENT.sub("", undressed(value)))
    shares = number(bare, key)
    if shares < 0 or _OTHER_THAN_SHARES.search(bare):
        raise Unreadable(Reason("quantity_found_wanted_number_of_shares_0", value=f"{value[:30]!r}"))
    return shares


def _price(value: str, key: str) -> float | None:
    bare = _COMMENT.sub("", undressed(value)).strip()
    if key == "limit_price" and bare.upper() in _AT_MARKET:
        return None
    if is_nothing(value):
        return None
    found_price = price(_CURRENCY.sub("", bare), key)
    if key == "limit_price" and found_price is None:  # a buy for nothing is never filled; at market it would be
        raise Unreadable(Reason("found_wanted_price_or_market", key=key, value=f"{value[:30]!r}"))
    return found_price


_PRICES = ("limit_price", "stop_price", "target_price")
_VIEW = VoteBlock("direction", {"direction": _word_of(ViewDirection), "confidence": Key(confidence)})
_PLAN = VoteBlock("action", {"action": _word_of(TradeAction), "confidence": Key(confidence)})
_TRADE = VoteBlock(
    "action",
    {**_PLAN.keys, "quantity": Key(_quantity), **dict.fromkeys(_PRICES, Key(_price))},
    loose=(*_PRICES, "quantity"),
)
_ALL_KEYS = _VIEW.keys.keys() | _TRADE.keys.keys()
