"""What a position is counted in, and gains and losses in the colours of up and down, always with their sign. HTML, without streamlit."""

from decimal import Decimal

from markupsafe import Markup

from engine.api import HeldPosition
from engine.domain.holding import NATURES
from engine.domain.position_record import PositionRecord
from pages.frame import numbers
from pages.frame.escape import markup
from pages.frame.show import Show


def are_shares(held: HeldPosition) -> bool:
    """Return whether it has no leverage, margin or liquidation."""
    return NATURES[held.position.instrument].paid_in_full


def units_of(held: HeldPosition, currency: str, show: Show) -> tuple[str, str]:
    """Return what its size and its money are counted in. currency: of shares, "" where it is not known."""
    if are_shares(held):
        return show.say("unit_shares"), currency
    base, _, quote = held.position.symbol.partition(":")[0].partition("/")
    return base, quote


def side_word(sign: int, show: Show) -> Markup:
    """Return `▲ long` in its colour. sign: 1 for long, -1 for short."""
    glyph, css_class, word = ("▲", "tb-up", "LONG") if sign > 0 else ("▼", "tb-down", "SHORT")
    return markup('<span class="{}" aria-hidden="true">{}</span> {}', css_class, glyph, show.say(word))


def tone(value: Decimal | float | None) -> str:
    """Return the class that carries the colour of a gain or a loss; "" for neither."""
    return "" if value is None or value == 0 else "tb-up" if value > 0 else "tb-down"


def coloured(value: Decimal | None, currency: str, decimals: int = 2) -> Markup:
    """Return `+12.40 USDT` in its colour; a dash where it is not known."""
    if value is None:
        return markup("<b>{}</b>", numbers.DASH)
    return markup('<b class="{}">{}</b>', tone(value), f"{numbers.signed(float(value), decimals)} {currency}".rstrip())


def r_text(value: float | None) -> str:
    """Return `+1.20 R`; "" where what was at risk is not known."""
    return f"{numbers.signed(value, 2)}{numbers.THIN}R" if value is not None else ""


def after_costs(record: PositionRecord, show: Show) -> str:
    """Return which costs are in a result and in a break-even price: `after fees and funding`."""
    shares, known = NATURES[record.instrument].paid_in_full, record.funding is not None
    return show.say("after_shares" if shares else "after_costs" if known else "after_fees")


def money_level(name: str, value: Decimal | None, currency: str, small: str = "") -> Markup:
    """Return a gain or a loss with its name and a remark, in its colour."""
    shown = f"{numbers.signed(float(value), 2)} {currency}".rstrip() if value is not None else numbers.DASH
    css_class = tone(value) if value is not None else "dash"
    return markup(
        '<div><span class="tb-lab">{}</span><span class="v {}">{}</span><span class="s">{}</span></div>', name, css_class, shown, small
    )
