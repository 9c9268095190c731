"""A figure that is stated in several places is one figure: every page of a filled home is walked, in both languages, and what it says of
equity, results, R, limits and false claims is compared."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.cli.trading import _position_line
from engine.domain.clock import utc_now
from engine.domain.proposal import Proposal
from engine.domain.text.language import LANGUAGES
from pages.desks import page_of_flow
from pages.desks.equities.page import titles_in
from pages.frame import shared_engine
from pages.frame.show import Show
from pages.positions.levels_form import row_key
from pages.run.kept_runs import run_behind
from pages.words.texts import words_in
from tests.pages.saved import run_document
from tests.pages.started import AT, Start

DAY = date(2024, 3, 5)
DEPOSIT = Decimal(10_000)
MONEY = r"([+−]?[\d,]+\.\d\d)"


class Words(HTMLParser):
    """What a reader sees of a page, piece by piece; cards under claims and styles left out."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.inside: list[bool] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("br", "meta", "input"):
            self.inside.append(tag in ("style", "script") or "tb-tip" in (dict(attrs).get("class") or ""))

    def handle_endtag(self, _: str) -> None:
        self.inside.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not any(self.inside):
            self.pieces.append(" ".join(data.split()))


def read(page: str) -> str:
    return "|".join(Words(page).pieces)


def words_of(app: AppTest) -> str:
    mounted = (json.loads(element.proto.json).get("html", "") for element in app.get("bidi_component"))  # of charts of series
    return "\n".join(map(read, (*(str(element.proto.body) for element in app.get("html")), *filter(None, mounted))))


def amount(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))


@dataclass
class Home:
    """A home in which things have happened. closed, held, waits: proposals of decisions; bought, ordered: of the equities desk, of one
    account."""

    engine: Engine
    closed: Proposal
    held: Proposal
    waits: Proposal
    bought: Proposal
    ordered: Proposal

    @property
    def waiting(self) -> tuple[Proposal, ...]:
        return (self.waits, self.ordered)

    @property
    def filled(self) -> tuple[Proposal, ...]:
        return (self.closed, self.held, self.bought)


def decided(engine: Engine, first: int) -> Proposal:
    """A proposal of a market in which there was something to decide."""
    for seed in range(first, first + 40):
        asked = engine.decisions.request("BTC/USDT:USDT", seed=seed, propose=True, at=AT, lies=0.2)
        proposal = engine.trading.proposal_of(engine.wait(engine.start(asked), 60).run_id)
        if proposal is not None and proposal.is_waiting:
            return proposal
    pytest.fail("no market with something to decide")


def bought(engine: Engine, *symbols: str) -> tuple[Proposal, ...]:
    """Proposals to buy these companies, of one account."""
    for seed in range(40):
        asked = [
            engine.equities.request(each, trade_date=DAY, session="post_close", depth=1, seed=seed, propose=True, lies=0.3)
            for each in symbols
        ]
        found = [engine.trading.proposal_of(engine.wait(engine.start(each), 60).run_id) for each in asked]
        if all(each is not None and each.is_waiting and each.plan.side == "buy" for each in found):
            return tuple(each for each in found if each is not None)
    pytest.fail("no seed that buys both")


def fill(engine: Engine) -> Home:
    trading = engine.trading
    closed, held, waits = decided(engine, 301), decided(engine, 341), decided(engine, 381)
    shares, ordered = bought(engine, "AAPL", "NVDA")
    for each in (closed, held, shares):
        assert trading.approve(each.id, "op-1", each.hash).state in {"filled", "sent"}
    trading.close_position(closed.basis.symbol, "op-1", closed.basis.account)
    return Home(engine, *(trading.proposal(each.id) for each in (closed, held, waits, shares, ordered)))


@pytest.fixture
def walk(start: Start) -> tuple[Home, Callable[..., str]]:
    """A filled home, and what a page of it says: (page, language, the position whose row is opened, address)."""
    start()
    home = fill(shared_engine.get_engine())

    def seen(page: str, language: str, opened: str = "", **address: str) -> str:
        st.cache_data.clear()
        app = start(page)
        for name, value in address.items():
            app.query_params[name] = value
        app.session_state["language"] = language
        if opened:
            app.session_state["opened-position"] = opened
        for _ in range(2):  # what is painted for the first time is not asked about yet
            app.run()
        assert not app.exception
        return words_of(app)

    return home, seen


def saved(home: Home, proposal: Proposal, language: str) -> str:
    """The words of a run's saved page."""
    record = home.engine.run(proposal.basis.run_id)
    assert record is not None
    flow = record.request.flow
    view = run_behind(home.engine, record.run_id, page_of_flow(flow).reducer)
    now = utc_now()
    if flow == "decision":
        return read(run_document(view, Show(language), None, "green-up", proposal, now))  # type: ignore[arg-type]
    show = Show(language, titles=titles_in(language))  # type: ignore[arg-type]
    return read(run_document(view, show, None, "green-up", proposal, now, flow=flow))


def level(words: str, name: str) -> list[tuple[str, str]]:
    """Every value under a name, with the small words beside it."""
    return re.findall(rf"(?:^|\|){re.escape(name)}\|{MONEY} [A-Z]+(?:\|([^|]*))?", words, re.M)


@pytest.mark.full
@pytest.mark.usefixtures("_midday")
@pytest.mark.parametrize("language", LANGUAGES)
def test_money_that_is_stated_twice_is_the_same_money(walk: tuple[Home, Callable[..., str]], language: str) -> None:
    home, seen = walk
    say, trading = words_in(language), home.engine.trading  # type: ignore[arg-type]
    positions = {each.account: each for each in trading.positions()}
    assert set(positions) == {home.held.basis.account, home.bought.basis.account}
    assert len(trading.closed_positions()) == 1
    page = ""
    for each in positions.values():
        page = seen("positions", language, row_key(each))
        assert each.result is not None
        parts = page.split("\n")
        (sums,) = (part for part in parts if say("book_margin") in part)
        (row,) = (part for part in parts if part.startswith(f"{each.position.symbol}|"))
        (card,) = (part for part in parts if say("unrealised") in part)
        ((result, small),), ((open_, _),), ((booked, _),) = (level(card, say(name)) for name in ("result_by_now", "unrealised", "booked"))
        assert amount(result) == round(each.result, 2)
        assert amount(result) == amount(open_) + amount(booked), "one basis: what is below adds up to it"
        in_r = re.search(r"([+−]?\d+\.\d\d).R", small)
        assert in_r is not None
        assert amount(in_r[1]) * amount(result) >= 0, "R and money have one sign"
        of_row = re.search(rf"\|{MONEY} [A-Z]+\|{re.escape(in_r[0])}", row)
        assert of_row is not None
        assert of_row[1] == result, "in its row as in its card, money and R"
        together = [(money, small) for money, small in level(sums, say("result_by_now")) if money == result]
        assert together == [(result, in_r[0])], "each is the only one in its currency"
        listing = next(opening.basis.listing for opening in (home.held, home.bought) if opening.basis.account == each.account)
        when = Show(language, zone=listing.time_zone if listing is not None else "").clock(each.at)  # type: ignore[arg-type]
        assert say("stands_still", when=when) in card, "its market waits for a later decision"
    by_account = {each.account: each.result for each in positions.values()}
    by_account |= {each.record.account: each.record.result for each in trading.closed_positions()}
    shown = {name: curve[-1][1] for name, curve in trading.curves().items()}
    for account, result in by_account.items():
        assert result is not None
        equity = DEPOSIT + result
        assert shown[account] == pytest.approx(float(equity)), "what began, and what it has brought"
        assert f"{equity:,.2f}" in page.partition(say("accounts"))[2]
    runs, approvals = seen("runs", language), seen("approvals", language, proposal=home.ordered.id)
    for proposal in home.filled:
        result = by_account[proposal.basis.account]
        assert result is not None
        words = f"{'+' if result > 0 else '−' if result < 0 else ''}{abs(result):,.2f}"
        for where in (page, runs, approvals):
            assert words in where, (proposal.basis.symbol, words)
    for each in positions.values():
        assert f"result {each.result:+.2f} {each.money} ({each.in_r:+.2f} R) after costs" in _position_line(each)
        assert (each.to_json()["result"], each.to_json()["stands_still"]) == (float(each.result or 0), True)
    ordered_on = f"{DEPOSIT + (by_account[home.bought.basis.account] or 0):,.2f}"
    assert f"{say('equity')}|{ordered_on} USD" in approvals, "of the account of the one that is chosen"


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_limits_are_counted_once(walk: tuple[Home, Callable[..., str]], language: str) -> None:
    """In the bar, its card, the form, the saved page: as many apply, whatever is left out before the account is asked."""
    home, seen = walk
    say = words_in(language)  # type: ignore[arg-type]
    for proposal in home.waiting:
        applying = [check for check in proposal.limits if check.applies]
        count = say("limits_pass", n=len(applying))
        assert len(applying) < len(proposal.limits) or proposal.basis.instrument == "contract"
        page = "decision" if proposal.basis.instrument == "contract" else "equities"
        places = {
            "run": seen(page, language, run=proposal.basis.run_id),
            "approvals": seen("approvals", language, proposal=proposal.id),
            "saved": saved(home, proposal, language),
        }
        for place, least in (("run", 2), ("approvals", 1), ("saved", 3)):
            assert places[place].count(count) >= least, (place, count)
            assert not re.search(r"\d+ ?/ ?\d+ (?:limits|项限制)|\d+ of \d+ (?:limits )?pass", places[place]), place


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_false_is_counted_once(walk: tuple[Home, Callable[..., str]], language: str) -> None:
    home, seen = walk
    runs = seen("runs", language)
    for proposal in (home.bought, home.ordered):
        state = home.engine.run(proposal.basis.run_id).result or {}  # type: ignore[union-attr]
        false, checked = state["false_claims"], state["total_claims"]
        assert 0 < false < checked
        assert f"|{false}|/ {checked}" in runs
        page, good = seen("equities", language, run=proposal.basis.run_id), checked - false
        for where in (page, saved(home, proposal, language)):
            assert re.search(rf"(?:verified|属实) {good}/{checked}\b", where)
            assert re.search(rf"corrected {false}\b|纠正 {false} 项", where)
