"""The settings that matter to whoever signs, as they are. A secret is only ever `set` or `not set`. HTML, without streamlit."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.api import Engine
from engine.domain.risk import RiskConfig
from pages.frame import numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup
from pages.frame.show import Show
from pages.trading.limits import limit_name, limit_text


def settings_panel(engine: Engine, who: str, address: str, show: Show, *, login: bool) -> Markup:
    """Return where orders go, how they are approved, who acts."""
    say, settings = show.say, engine.settings
    minutes = say("set_minutes", n=numbers.said(settings.proposal_minutes, ""))
    two = numbers.number(settings.two_sign_above) if settings.two_sign_above is not None else say("set_never")
    secrets = {"set_key": settings.openai_api_key, "set_trade_key": settings.api_key, "set_trade_secret": settings.api_secret}
    rows = [
        ("set_broker", settings.broker if settings.broker == "paper" else f"{settings.broker} · {settings.exchange}"),
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
        shown = (", ".join(value) or numbers.DASH) if isinstance(value, list) else limit_text(name, value)
        label = limit_name(name, show)
        rows.append((label[:1].upper() + label[1:], shown))
    return card(head(heading(say("risk_limits"))), _listed(rows), label=say("risk_limits"))


def _listed(rows: Sequence[tuple[str, str]]) -> Markup:
    return markup(
        '<div class="tb-dl wide">{}</div>', joined((markup("<span>{}</span><span>{}</span>", name, value) for name, value in rows))
    )
