"""Two finished runs of the desk side by side, what differs marked. HTML, without streamlit."""

from markupsafe import Markup

from engine.domain.run import RunRecord
from pages.equities.pieces import NOTHING, money
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading, table
from pages.frame.json_fields import Fields
from pages.frame.show import Show
from pages.run.run_list import pair_row

_WORDS = ("company_of_interest", "trade_date", "trading_session", "preset", "trader_action")
_NUMBERS = ("current_price", "account_cash", "account_total_value", "largest_allowed_order")


def compared_equities(first: RunRecord, second: RunRecord, show: Show) -> Markup:
    """Return them; "" where one has no result."""
    if first.result is None or second.result is None:
        return NOTHING
    one, other = _rows(first.result, show), _rows(second.result, show)
    rows = [pair_row(name, one.get(name, numbers.DASH), other.get(name, numbers.DASH)) for name in dict.fromkeys((*one, *other))]
    heads = ((show.say("figure"), False), (first.run_id, False), (second.run_id, False))
    title = show.say("compare")
    return card(head(heading(title)), table(heads, rows), label=title)


def _rows(state: Fields, show: Show) -> dict[str, str]:
    """Return field -> what a result has there: plain fields, the order, the rulings, a line an analyst, the counts."""
    found = {name: json_fields.words(state, name) or numbers.DASH for name in _WORDS}
    found |= {name: money(json_fields.number(state, name)) for name in _NUMBERS}
    order = json_fields.inner(state, "order")
    found |= {f"order.{name}": _value(order, name) for name in ("quantity", "price", "stop_price", "target_price")}
    for ruling in ("research_summary", "risk_summary"):
        inner = json_fields.inner(state, ruling)
        found |= {f"{ruling}.{name}": _value(inner, name) for name in ("action", "quantity", "confidence", "binding")}
    analysts = json_fields.inner(state, "analysts")
    for key in analysts:
        record = json_fields.inner(analysts, key)
        view = json_fields.inner(record, "view")
        said = f"{_value(view, 'direction')} {_value(view, 'confidence')} · {_value(record, 'status')} · {_value(record, 'tool_calls')}"
        found[show.name(key)] = said
    found |= {name: _value(state, name) for name in ("total_claims", "false_claims", "hallucination_score", "is_valid", "inputs_hash")}
    metrics = json_fields.inner(state, "metrics")
    return found | {f"metrics.{name}": _value(metrics, name) for name in ("llm_calls_count", "tool_calls_count", "total_tokens")}


def _value(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if isinstance(value, bool) or value is None:
        return numbers.DASH if value is None else str(value).lower()
    number = json_fields.number(fields, name)
    return numbers.grouped(f"{number:g}") if number is not None and abs(number) < 1e6 else str(value)
