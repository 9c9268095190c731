"""What was found, handed to another desk: which desk, about which market or company, as of when. Says before how much of it was known then.

Nothing is started here: the link opens the desk with the statements, the market and the instant in its form.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from engine.api import Engine
from engine.desks.research.api import EvidencePreview
from engine.domain.clock import parse_instant, utc_now
from engine.domain.errors import TribunalError
from engine.domain.research.dossier import LeftOut
from engine.domain.run import RunRecord
from pages.desks.form import listed
from pages.frame import json_fields, numbers
from pages.frame.cards import card, head, heading
from pages.frame.escape import joined, markup
from pages.frame.form_words import FormWords
from pages.frame.html import draw_html
from pages.frame.page_style import say_warning
from pages.frame.show import Show
from pages.run.attached import PARAMETER

_DESKS: Final = ("rs_to_desk", "rs_to_equities")
_SESSIONS: Final = ("pre_open", "post_close")
_MARKET, _COMPANY = "BTC/USDT:USDT", "AAPL"
_RECENT, _MOST = 60, 30


@dataclass(frozen=True)
class AttachTarget:
    """Where a dossier goes. address: of the desk's page with everything in it, relative. word: key of what leads there. usable: whether
    any statement is given there."""

    address: str
    word: str
    usable: bool


def choose_target(engine: Engine, record: RunRecord, show: Show) -> AttachTarget | None:
    """Draw the choice of a desk, of its market or company and of its instant, with what is given then; None where it cannot be read."""
    word = FormWords(show.language)
    with st.container(border=True, key="attach"):
        draw_html(markup('<div class="tb">{}</div>', head(heading(show.say("rs_attach")))))
        desk = word.segments("rs_to", _DESKS, _own_desk(record), f"attach-desk-{record.run_id}")
        try:
            at, query = (_market_at if desk == "rs_to_desk" else _company_at)(engine, record, word)
            found = engine.research.evidence(record.run_id, at)
        except TribunalError as problem:
            say_warning(problem)
            return None
        draw_html(preview_panel(found, show))
    page, key = ("", "rs_attach_desk") if desk == "rs_to_desk" else ("equities", "rs_attach_equities")
    return AttachTarget(attach_address(page, record.run_id, query, show), key, found.given > 0)


def draw_attach_room(show: Show) -> None:
    """Hold the room of the choice while there is nothing to hand on yet, so that nothing moves when it comes."""
    waiting = markup('<p class="tb-muted">{}</p>', show.say("rs_attach_later"))
    draw_html(card(head(heading(show.say("rs_attach"))), waiting, label=show.say("rs_attach"), css_class="tb-attach-room"))


def attach_address(page: str, run_id: str, query: Mapping[str, str], show: Show) -> str:
    """Return the address of a desk with a dossier in it: relative, so that a path that the server is under is kept."""
    given = {PARAMETER: run_id, **{key: text for key, text in query.items() if text}, "lang": show.language}
    return f"./{page}?{urlencode(given)}"


def preview_panel(found: EvidencePreview, show: Show) -> Markup:
    """Return how many statements a run would be given that knows nothing after the instant, and why the others are left out."""
    say = show.say
    left: dict[LeftOut, str] = {"later": "rs_left_later", "undated": "rs_left_undated", "unsupported": "rs_left_unsupported"}
    rest = found.statements - found.given - sum(found.left_out.values())
    counts = [(say("rs_known_at"), f"{found.given} / {found.statements}", found.given > 0)]
    counts += [(say(key), str(n), False) for name, key in left.items() if (n := found.left_out.get(name, 0))]
    counts += [(say("rs_left_beyond"), str(rest), False)] if rest > 0 else []
    rows = joined(
        markup(
            '<span class="{}" aria-hidden="true">{}</span><span>{}</span><b>{}</b>', "ok" if good else "bad", "✓" if good else "–", text, n
        )
        for text, n, good in counts
    )
    at = markup('<p class="tb-lab">{} <b>{}</b></p>', say("rs_as_of"), numbers.stamp(found.at))
    none = markup('<p class="tb-bad">{}</p>', say("rs_nothing_given")) if not found.given else Markup()
    return markup('<div class="tb" role="status">{}<div class="tb-given">{}</div>{}</div>', at, rows, none)


def _own_desk(record: RunRecord) -> str:
    symbol = json_fields.words(record.request.model_dump(mode="json"), "symbol") or _MARKET
    return _DESKS["/" not in symbol]


def _subjects(engine: Engine, record: RunRecord, usual: str, *, market: bool) -> list[str]:
    """Return what the run is about, what was decided about lately, and what its source has: markets, or companies."""
    asked = record.request.model_dump(mode="json")
    lately = (run.subject for run in engine.runs(_RECENT) if run.flow == ("decision" if market else "fusion"))
    own, known = json_fields.words(asked, "symbol") or usual, dict[str, Any]()
    with suppress(TribunalError):
        known = listed(engine, "markets" if market else "companies", asked["feed"], json_fields.words(asked, "data_dir") or "")
    found = [own, *lately, usual, *known]
    return [each for each in dict.fromkeys(found) if ("/" in each) is market][:_MOST]


def _market_at(engine: Engine, record: RunRecord, word: FormWords) -> tuple[datetime, dict[str, str]]:
    """Draw the market and the instant of the next decision. Raises BadInput for an instant that cannot be read."""
    symbol = str(
        st.selectbox(word("market"), _subjects(engine, record, _MARKET, market=True), accept_new_options=True, key="attach-market")
    )
    asked = record.request.model_dump(mode="json")
    own = json_fields.instant(asked, "at")
    usual = own.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ") if own is not None else ""
    at = st.text_input(
        word("at"), usual, help=word("rs_attach_at_help"), placeholder=word("rs_attach_now"), key=f"attach-at-{record.run_id}"
    )
    instant = parse_instant(at) if at.strip() else utc_now()
    return instant, {"symbol": symbol, "at": at.strip()}


def _company_at(engine: Engine, record: RunRecord, word: FormWords) -> tuple[datetime, dict[str, str]]:
    """Draw the company and the date of the next run. Raises BadInput for a company or a date that there is not."""
    companies = _subjects(engine, record, _COMPANY, market=False)
    symbol = str(st.selectbox(word("eq_symbol"), companies, accept_new_options=True, key="attach-company"))
    day = st.date_input(word("eq_trade_date"), None, date(1990, 1, 1), help=word("eq_trade_date_help"), key="attach-date")
    session = word.segments("eq_session", _SESSIONS, "post_close", "attach-session")
    chosen = day if isinstance(day, date) else None
    at = engine.equities.known_at(symbol, chosen, "pre_open" if session == "pre_open" else "post_close")
    return at, {"symbol": symbol, "date": chosen.isoformat() if chosen else "", "session": session if chosen else ""}
