"""Sessions of an exchange, and the two moments of one at which a decision is taken."""

from datetime import date
from typing import Literal

from pydantic import AwareDatetime

from engine.domain.frozen_model import FrozenModel

SessionMoment = Literal["pre_open", "post_close"]


class TradingSession(FrozenModel):
    """One session of an exchange. date: in its own time zone. open, close: aware UTC. is_half_day: it closes earlier than usual."""

    date: date
    open: AwareDatetime
    close: AwareDatetime
    is_half_day: bool = False


class TradingMoment(FrozenModel):
    """The clock of a decision about a listed company.

    trading_session: before that date's session opens, or after it has closed. known_at: aware UTC, the instant the session opens or closes,
    or another one that was asked for; nothing published later is known. last_session: date of the last session that has closed by then:
    the trade date itself after the close, the session before it otherwise. within: known_at lies within the session; then trading_session
    is `pre_open`.
    """

    trade_date: date
    trading_session: SessionMoment
    known_at: AwareDatetime
    last_session: date
    within: bool = False
