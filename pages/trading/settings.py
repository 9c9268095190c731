"""The panels of the Settings page: what the program was started with, its limits, what the bench found of its model. HTML, without
streamlit. A secret is only ever `set` or `not set`.
"""

from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

from engine.api import Engine
from engine.domain.bench import BenchMeasure, BenchResult
from engine.domain.risk import RiskConfig
from pages.frame import numbers
from pages.frame.cards import cell, label, listed, table, titled
from pages.frame.escape import markup
from pages.frame.show import Show
from pages.trading.limits import limit_name, limit_text
from pages.words.texts import LANGUAGE_NAMES

_FITS: Final[Mapping[str, tuple[str, str]]] = {"yes": ("done", "✓"), "no": ("bad", "✕"), "unsure": ("warn", "?")}


def settings_panel(engine: Engine, who: str, address: str, show: Show, *, login: bool) -> Markup:
    """Return where orders go, how they are approved, who acts."""
    say, settings = show.say, engine.settings
    minutes = say("set_minutes", n=numbers.said(settings.proposal_minutes, ""))
    two = numbers.number(settings.two_sign_above) if settings.two_sign_above is not None else say("set_never")
    able = engine.trading.capabilities
    venue = settings.exchange if able.per_exchange else settings.broker
    rows = [
        ("set_broker", f"{say('set_exchange')} · {venue}" if able.real_money else say("tag_paper")),
        ("set_orders", say(orders_key(engine))),
        ("set_mode", say(f"set_{settings.approval}")),
        ("set_two", two),
        ("set_expiry", minutes),
        ("set_operator", who),
        ("set_login", say("set_login_yes" if login else "set_login_no")),
        ("set_address", address or say("set_everywhere")),
    ]
    body = listed([(say(key), value) for key, value in rows])
    return titled(say("settings_title"), markup('<p class="tb-muted">{}</p>', say("settings_text")), body)


def program_panel(engine: Engine, show: Show) -> Markup:
    """Return what speaks in single roles, where everything is kept, what may be spent. What is connected is said on the page for that."""
    say, settings = show.say, engine.settings
    roles = say("list_comma").join(f"{show.name(role)}{say('colon')}{model}" for role, model in sorted(settings.role_models.items()))
    rows = [
        *([(say("set_role_models"), roles)] if roles else []),
        (say("set_home"), str(settings.home)),
        (say("set_language"), LANGUAGE_NAMES[settings.language]),
        (say("set_run_budget"), _budget(settings.run_tokens, settings.run_cost, show)),
        (say("set_day_budget"), _budget(settings.day_tokens, settings.day_cost, show)),
        (say("set_deadlines"), f"{numbers.seconds(settings.call_deadline_s)} · {numbers.seconds(settings.run_deadline_s)}"),
    ]
    return titled(say("program_title"), listed(rows))


def _budget(tokens: int | None, cost: float | None, show: Show) -> str:
    parts = [show.say("set_tokens", n=numbers.number(tokens))] if tokens is not None else []
    parts += [show.say("set_cost", n=numbers.said(cost, ""))] if cost is not None else []
    return " · ".join(parts) or show.say("set_no_budget")


def orders_key(engine: Engine) -> str:
    """Return where orders go, as a key of the words."""
    settings = engine.settings
    if not engine.trading.capabilities.real_money:
        return "orders_paper"
    if settings.live != "yes":
        return "orders_sandbox"
    return "orders_live" if engine.trading.is_live else "orders_closed"


def risk_panel(risk: RiskConfig, show: Show) -> Markup:
    """Return every limit and its bound."""
    say, rows = show.say, []
    for name in RiskConfig.model_fields:
        value = getattr(risk, name)
        if isinstance(value, bool):
            shown = say("set_yes" if value else "set_no")
        else:
            shown = (say("list_comma").join(value) or say("all_markets")) if isinstance(value, list) else limit_text(name, value)
        shown = say("set_no_budget") if value is None else shown
        label = limit_name(name, show)
        rows.append((label[:1].upper() + label[1:], shown))
    return titled(say("risk_limits"), listed(rows))


def bench_panel(result: BenchResult, show: Show) -> Markup:
    """Return the fit of each role and, folded away, the measures."""
    say = show.say
    fit = [
        (
            cell(_role(role, show)),
            cell(markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', *_FITS[found], say(f"bench_{found}"))),
            cell(say("list_comma").join(_name(name, show) for name in result.failed.get(role, ()))),
        )
        for role, found in result.fit.items()
    ]
    known = [(name, measure) for name, measure in result.measures.items() if measure.n]
    rows = [
        (cell(_name(name, show)), *(cell(text, "r") for text in (*_figures(measure), numbers.number(measure.n)))) for name, measure in known
    ]
    heads = (("bench_measure", False), ("bench_value", True), ("bench_interval", True), ("bench_n", True))
    measures = table(tuple((say(key), right) for key, right in heads), rows)
    said = say(
        "bench_sum",
        asked=result.asked,
        planned=result.planned,
        day=f"{result.at:%Y-%m-%d}",
        tokens=numbers.number(result.tokens),
        prompts=result.prompts_hash[:19],
    )
    title = say("bench_came", model=result.model)
    return titled(
        title,
        markup('<p class="tb-muted">{}</p>', say(f"bench_ended_{result.ended}")),
        table(tuple((say(key), False) for key in ("bench_role", "bench_fit", "bench_against")), fit, "tb-check"),
        markup("<details><summary>{}</summary>{}</details>", say("bench_all"), measures),
        beside=label(said),
    )


def _role(role: str, show: Show) -> str:
    return show.say("bench_analysts") if role == "analysts" else show.name(role)


def _name(name: str, show: Show) -> str:
    measure, _, of = name.partition(".")
    if not of:
        return show.say(f"bm_{measure}")
    return f"{show.say(f'bm_{measure}')} · {_role(of, show)}"


def _figures(measure: BenchMeasure) -> tuple[str, str]:
    """Return a value and its interval, as they were measured: shares from 0 to 1, or numbers in 100."""
    if measure.value is None or measure.low is None or measure.high is None:
        return numbers.DASH, numbers.DASH
    return f"{measure.value:.2f}", f"{measure.low:.2f} – {measure.high:.2f}"
