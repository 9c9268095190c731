"""The settings that matter to whoever signs, as they are. A secret is only ever `set` or `not set`. HTML, without streamlit."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.api import Engine
from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.risk import RiskConfig
from engine.domain.text.address import without_passwords
from pages.frame import numbers
from pages.frame.cards import card, cell, head, heading, label, table
from pages.frame.escape import joined, markup, plain
from pages.frame.form_words import FormWords
from pages.frame.show import Show
from pages.trading.limits import limit_name, limit_text
from pages.words.texts import LANGUAGE_NAMES


def settings_panel(engine: Engine, who: str, address: str, show: Show, *, login: bool) -> Markup:
    """Return where orders go, how they are approved, who acts."""
    say, settings = show.say, engine.settings
    minutes = say("set_minutes", n=numbers.said(settings.proposal_minutes, ""))
    two = numbers.number(settings.two_sign_above) if settings.two_sign_above is not None else say("set_never")
    secrets = {"set_key": settings.openai_api_key, "set_trade_key": settings.api_key, "set_trade_secret": settings.api_secret}
    rows = [
        ("set_broker", say("tag_paper") if settings.broker == "paper" else f"{say('set_exchange')} · {settings.exchange}"),
        ("set_orders", say(orders_key(engine))),
        ("set_mode", say(f"set_{settings.approval}")),
        ("set_two", two),
        ("set_expiry", minutes),
        ("set_operator", who),
        ("set_login", say("set_login_yes" if login else "set_login_no")),
        ("set_address", address or say("set_everywhere")),
        *((name, say("set_is" if secret.get_secret_value() else "set_is_not")) for name, secret in secrets.items()),
    ]
    body = _listed([(say(key), value) for key, value in rows])
    return card(
        head(heading(say("settings_title"))), markup('<p class="tb-muted">{}</p>', say("settings_text")), body, label=say("settings_title")
    )


def program_panel(engine: Engine, show: Show) -> Markup:
    """Return what speaks, where prices come from, where everything is kept, what may be spent."""
    say, settings = show.say, engine.settings
    scripted = settings.default_model == "scripted"
    roles = ", ".join(f"{show.name(role)}: {model}" for role, model in sorted(settings.role_models.items()))
    address = without_passwords(settings.openai_base_url) if settings.openai_base_url else "api.openai.com"
    feed = settings.default_feed
    source = {"simulated": "", "recorded": str(settings.data_dir or numbers.DASH), "live": settings.exchange}[feed]
    rows = [
        (say("set_model"), say("set_scripted") if scripted else settings.default_model),
        *([(say("set_endpoint"), address)] if not scripted else []),
        *([(say("set_role_models"), roles)] if roles else []),
        (say("set_feed"), " · ".join(part for part in (FormWords(show.language)(feed), source) if part)),
        (say("set_home"), str(settings.home)),
        (say("set_language"), LANGUAGE_NAMES[settings.language]),
        (say("set_run_budget"), _budget(settings.run_tokens, settings.run_cost, show)),
        (say("set_day_budget"), _budget(settings.day_tokens, settings.day_cost, show)),
        (say("set_deadlines"), f"{numbers.seconds(settings.call_deadline_s)} · {numbers.seconds(settings.run_deadline_s)}"),
    ]
    return card(head(heading(say("program_title"))), _listed(rows), label=say("program_title"))


def check_panel(lines: Sequence[DiagnosticResult], show: Show) -> Markup:
    """Return what a check found, a row each: what, how it is, what to do."""
    say = show.say
    rows = [
        (
            cell(say(f"diag_{each.name}")),
            cell(markup('<span class="tb-st {}"><b aria-hidden="true">{}</b>{}</span>', *_state(each, show))),
            cell(_found(each)),
        )
        for each in lines
    ]
    counts = {status: sum(each.status == status for each in lines) for status in ("failed", "warning")}
    summary = label(say("check_sum", failed=counts["failed"], warnings=counts["warning"], n=len(lines)))
    heads = ((say("check_what"), False), (say("check_state"), False), (say("check_found"), False))
    return card(head(heading(say("check_came")), summary), table(heads, rows, "tb-check"), label=say("check_came"))


_STATES = {"ok": ("done", "✓"), "warning": ("warn", "!"), "failed": ("bad", "✕"), "skipped": ("", "○")}


def _state(each: DiagnosticResult, show: Show) -> tuple[str, str, str]:
    return *_STATES[each.status], show.say(f"check_{each.status}")


def _found(each: DiagnosticResult) -> Markup:
    if not each.what_to_do:
        return plain(each.detail)
    return markup('{}<span class="tb-line tb-muted">→ {}</span>', each.detail, each.what_to_do)


def _budget(tokens: int | None, cost: float | None, show: Show) -> str:
    parts = [show.say("set_tokens", n=numbers.number(tokens))] if tokens is not None else []
    parts += [show.say("set_cost", n=numbers.said(cost, ""))] if cost is not None else []
    return " · ".join(parts) or show.say("set_no_budget")


def orders_key(engine: Engine) -> str:
    """Return where orders go, as a key of the words."""
    settings = engine.settings
    if settings.broker == "paper":
        return "orders_paper"
    if settings.live != "yes":
        return "orders_sandbox"
    return "orders_live" if engine.trading.is_live else "orders_closed"


def risk_panel(risk: RiskConfig, show: Show) -> Markup:
    """Return every limit and its bound."""
    say, rows = show.say, []
    for name in RiskConfig.model_fields:
        value = getattr(risk, name)
        shown = (", ".join(value) or say("all_markets")) if isinstance(value, list) else limit_text(name, value)
        shown = say("set_no_budget") if value is None else shown
        label = limit_name(name, show)
        rows.append((label[:1].upper() + label[1:], shown))
    return card(head(heading(say("risk_limits"))), _listed(rows), label=say("risk_limits"))


def _listed(rows: Sequence[tuple[str, str]]) -> Markup:
    return markup(
        '<div class="tb-dl wide">{}</div>', joined((markup("<span>{}</span><span>{}</span>", name, value) for name, value in rows))
    )
