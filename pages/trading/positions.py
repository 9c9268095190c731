"""An open position as people read it: how it has gone, how far its levels are, and whether what it was entered for still holds. HTML,
without streamlit."""

from datetime import datetime

from engine.api import HeldPosition
from engine.domain.invalidation import InvalidationCheck
from pages.claims.claim_markup import quoted
from pages.frame import json_fields, numbers
from pages.frame.cards import level, message
from pages.frame.escape import plain
from pages.frame.show import Show
from pages.run.view import NodeView, RunView
from pages.trading.answered import run_link
from pages.words.fact_names import fact_name

_SIGNS = {True: ("✕", "broken", "bad"), False: ("✓", "holds", ""), None: ("?", "cannot_check", "warn")}


def position_card(held: HeldPosition, show: Show, entered: RunView | None = None) -> str:
    """Side, size, money, levels, thesis. entered: the run it was entered from, whose words were checked then."""
    position, say = held.position, show.say
    word = {"long": "LONG", "short": "SHORT"}[position.side]
    glyph, tone = ("▲", "tb-up") if position.sign > 0 else ("▼", "tb-down")
    lever = f"{numbers.number(position.leverage)}×"
    top = (
        f'<div class="tb-signhead"><b class="word"><span class="{tone}" aria-hidden="true">{glyph}</span> {plain(say(word))} {lever}</b>'
        f'<b class="sym">{plain(position.symbol)}</b><span class="sp"></span><span class="tb-tag">{plain(held.account)}</span></div>'
    )
    why = f'<p class="tb-bad">{plain(held.why)}</p>' if held.why else ""
    bare = "" if held.is_protected else message(say("no_stop_card"), bad=True)
    row = "".join(_numbers(held, show))
    return f'<div class="tb tb-pos">{top}{bare}<div class="tb-lev">{row}</div>{why}{_thesis(held, show, entered)}</div>'


def _numbers(held: HeldPosition, show: Show) -> list[str]:
    position, say, facts = held.position, show.say, held.facts
    price, entry, step = held.price, position.entry_price, show.step
    base, quote = position.symbol.partition("/")[0], position.symbol.partition("/")[2].partition(":")[0]
    made = float((price - entry) * position.size * position.sign) if price is not None else None
    money = f"{numbers.signed(made, 2)} {quote}" if made is not None else numbers.DASH
    bars = facts.get("hold_count")
    opened = numbers.clock(position.opened_at) if position.opened_at else ""
    return [
        level(say("unrealised"), money, numbers.signed_percent(facts.get("profit_pct"))),
        level(
            say("price_now"),
            numbers.price(float(price) if price is not None else None, step),
            numbers.clock(held.at) if held.at else "",
        ),
        level(say("entry"), numbers.price(float(entry), step), opened),
        level(say("size"), f"{position.size:f} {base}", f"{numbers.number(float(position.size * (price or entry)))} {quote}"),
        *(_level(held, name, show) for name in ("stop", "target", "liquidation")),
        level(say("best_worst"), _pair(facts.get("mfe_pct"), facts.get("mae_pct")), say("mfe_mae")),
        level(say("held_bars"), say("bars_n", n=numbers.number(bars)) if bars is not None else numbers.DASH, ""),
    ]


def _pair(best: float | None, worst: float | None) -> str:
    return f"{numbers.signed_percent(best)} / {numbers.signed_percent(worst)}"


def _level(held: HeldPosition, name: str, show: Show) -> str:
    value = getattr(held.position, "liquidation_price" if name == "liquidation" else name)
    if value is None:
        return level(show.say(name), numbers.DASH, show.say("no_stop") if name == "stop" else "")
    away = ""
    if held.price is not None:
        away = show.say("to_stop", pct=numbers.percent(abs(float(value / held.price - 1)) * 100))
    return level(show.say(name), numbers.price(float(value), show.step), away)


def _thesis(held: HeldPosition, show: Show, entered: RunView | None) -> str:
    say, thesis = show.say, held.thesis
    if thesis is None:
        return f'<div class="tb-thesis"><p class="tb-muted">{plain(say("no_thesis"))}</p></div>'
    rows = "".join(_condition(each, show) for each in held.checked)
    listed = f'<ul class="tb-inv">{rows}</ul>' if rows else ""
    link = run_link(thesis.run_id, say("open_run"), show)
    said = _reasons(thesis.text, entered, show)
    return f'<div class="tb-thesis"><div class="tb-sub">{plain(say("thesis"))} · {link}</div>{said}{listed}</div>'


def _reasons(written: str, entered: RunView | None, show: Show) -> str:
    """Return the executor's words, claims marked as on the desk; where their run is gone, that they cannot be checked any more."""
    node = entered.role("executor") if entered is not None else NodeView("executor")
    reasoning = json_fields.words(node.result, "reasoning") or json_fields.words(node.result, "executor_reasoning")
    if reasoning and node.text:
        return quoted(reasoning, node.text, node.claims, show)
    return f'<p>{plain(written)}</p><p class="tb-muted">{plain(show.say("thesis_unchecked"))}</p>' if written else ""


def _condition(each: InvalidationCheck, show: Show) -> str:
    """Return `✓ holds · close below 77,590.0 (now 78,034.2)`."""
    say, condition = show.say, each.invalidation
    sign, word, css_class = _SIGNS[each.broken]

    def value(number: float | None) -> str:
        return numbers.number(number) if condition.kind == "time" else numbers.price(number, show.step)

    bound = fact_name(condition.other, show.language) if condition.other is not None else value(condition.bound)
    text = say("broken_if", what=f"{fact_name(condition.key, show.language)} {say(condition.relation)} {bound}")
    now = value(each.measured) + (f" / {value(each.against)}" if condition.other is not None and each.against is not None else "")
    measured = f" ({say('now_is', value=now)})" if each.measured is not None else ""
    state = f'<b class="tb-inv-{css_class or "ok"}"><span aria-hidden="true">{sign}</span> {plain(say(word))}</b>'
    return f"<li>{state} · {plain(text + measured)}</li>"


def positions_head(count: int, at: datetime, show: Show) -> str:
    """Return the page's name, and when it looked."""
    name = f'<h2>{plain(show.say("nav_positions"))}</h2><span class="tb-muted" role="status">{count or ""}</span>'
    return f'<div class="tb tb-page">{name}<span class="sp"></span><span class="tb-lab">{numbers.clock(at)}</span></div>'


def no_position(show: Show) -> str:
    """Flat, and known to be."""
    return f'<div class="tb tb-card"><p><b>{plain(show.say("no_position"))}</b></p><p>{plain(show.say("no_position_text"))}</p></div>'
