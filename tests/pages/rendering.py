"""Render every page of some runs of every desk to lines of text, so that a change of the pages can be compared with what was there before:
`python -m tests.pages.rendering HOME BEFORE`, change, `python -m tests.pages.rendering HOME AFTER`, `diff -r BEFORE AFTER`.

The runs are decided in HOME once. The clock stands still, and names drawn by chance are replaced by their order: two renderings without a
change between them are equal.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.domain.clock import use_clock
from engine.domain.errors import BadInput
from engine.domain.run import RunRequest
from engine.domain.text.language import LANGUAGES, Language
from engine.settings import Settings
from pages.desks import DESKS, page_of_flow
from pages.desks.desk_page import DeskPage
from pages.desks.research.page import ResearchPage
from pages.desks.saved_run import SavedAs, run_file
from pages.frame import shared_engine
from pages.trading import answering
from tests.conftest import ROOT
from tests.pages.started import AT, script_of

NOW: Final = datetime(2026, 11, 2, 12, tzinfo=UTC)
DAY: Final = date(2024, 3, 5)
PAGES: Final = ("approvals", "positions", "journal", "replay", "runs", "connect", "settings")
READ: Final = (
    "html",
    "bidi_component",
    "markdown",
    "caption",
    "button",
    "selectbox",
    "text_input",
    "number_input",
    "text_area",
    "checkbox",
)
ALSO: Final = ("slider", "select_slider", "radio", "toggle", "button_group", "date_input", "time_input", "expandable", "popover", "iframe")
CHANCE: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}|\b[0-9a-f]{8,64}\b|(?<=visit.: .)[\w-]+|/tmp/[\w./-]+")


def main(home: Path, target: Path) -> None:
    """Write a file for every page, moment, saved file and picture in both languages. home: where the runs are, made where it is missing."""
    target.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch, use_clock(lambda: NOW):
        patch.setitem(Settings.model_config, "env_file", None)
        patch.setattr(answering, "PAUSE_S", 0.0)
        for name, value in {"HOME": str(home), "PACE": "0", "OPERATOR": "op-1", "PROPOSAL_MINUTES": "60"}.items():
            patch.setenv(f"TRIBUNAL_{name}", value)
        engine = shared_engine.get_engine()
        names = home / "runs.json"
        if not names.exists():
            names.write_text(json.dumps(_runs(engine)))
        engine.outcomes.catch_up()
        runs = json.loads(names.read_text())
        for language in LANGUAGES:
            for name, app in _pages(engine, runs, language):
                _write(target / f"{language} {name}.txt", _lines(app))
            for name, document in _documents(engine, runs, language):
                _write(target / f"{language} {name}.txt", document.replace("><", ">\n<"))
        engine.close()


def _runs(engine: Engine) -> dict[str, str]:
    """Decide everything that the pages can show: the runs by name."""
    decide, shares, research, plan = (
        engine.decisions.request,
        engine.equities.request,
        engine.research.request,
        engine.plans.request,
    )
    btc, eth, day = "BTC/USDT:USDT", "ETH/USDT:USDT", {"trade_date": DAY, "session": "post_close"}
    asked: dict[str, RunRequest] = {
        "signed": decide(eth, seed=201, at=AT, propose=True, lies=0.2),
        "held": decide(eth, seed=201, at=AT, propose=True),
        "waiting": decide(btc, seed=213, at=AT, propose=True, lies=0.2),
        "lies": decide(btc, seed=7, at=AT, lies=1.0),
        "quiet": decide(btc, seed=8, at=AT),
        "chinese": decide(btc, seed=9, at=AT, lies=0.3, language="zh"),
        "bought": shares("MSFT", **day, propose=True),
        "shares": shares("AAPL", depth=2, lies=0.2, seed=7, propose=True, **day),
        "shallow": shares("NVDA", depth=1, lies=1.0, seed=3, **day),
        "index": shares("^GSPC", depth=2, seed=1, **day),
        "plan": plan("Is BTC funding high and is the long crowded?", symbol=btc, at=AT),
        "plan of words": plan("Which company makes the H100?", at=AT),
        "question": research("How much revenue did Apple report in its last quarter?"),
    }
    runs = {}
    for name, request in asked.items():
        runs[name] = engine.wait(engine.start(request), 120).run_id
        proposal = engine.trading.proposal_of(runs[name])
        if name in ("signed", "bought") and proposal is not None and proposal.is_waiting:
            engine.trading.approve(proposal.id, "op-1", proposal.hash)
    return runs


def _pages(engine: Engine, runs: Mapping[str, str], language: str) -> Iterator[tuple[str, AppTest]]:
    for page in (*DESKS, *PAGES):
        with _opened(page, language) as app:
            yield f"page {page}", app
    for name, run_id in runs.items() if language == "en" else ():
        page = page_of_flow(engine.record(run_id).request.flow).path or DESKS[0]
        with _opened(page, language, run=run_id) as app:
            yield f"run {name}", app
    pairs = (("waiting", "lies"), ("shares", "shallow"), ("plan", "plan of words"), ("question", "question"))
    for first, second in pairs:
        with _opened("runs", language, compare=f"{runs[first]},{runs[second]}") as app:
            yield f"beside {first} {second}", app


@contextmanager
def _opened(page: str, language: str, **address: str) -> Iterator[AppTest]:
    st.cache_data.clear()
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    app.run()
    app.switch_page(script_of(page))
    for name, value in address.items():
        app.query_params[name] = value
    app.session_state["language"] = language
    for _ in range(2):  # what is drawn for the first time is not asked about yet
        app.run()
    yield app


def _lines(app: AppTest) -> str:
    """Everything on the page, a line each, in the order of its kinds."""
    lines = [f"EXCEPTION {each.message}" for each in app.exception]
    for kind in (*READ, *ALSO):
        lines.extend(f"{kind}: {_text(each)}" for each in app.get(kind))
    return "\n".join(lines)


def _text(element: Any) -> str:
    proto = element.proto
    if hasattr(proto, "body"):
        return str(proto.body).replace("><", ">\n<")
    if element.type == "bidi_component":
        return json.dumps(json.loads(proto.json or "{}"), ensure_ascii=False, indent=1, sort_keys=True)
    return str(proto)


def _documents(engine: Engine, runs: Mapping[str, str], language: Language) -> Iterator[tuple[str, str]]:
    """Yield the panels of each run at some of its moments, its saved file and its picture."""
    for name, run_id in runs.items():
        record, events = engine.record(run_id), engine.events(run_id)
        page = page_of_flow(record.request.flow)
        assert isinstance(page, DeskPage)
        show = page.show_still(engine, run_id, language)
        for quarter in (1, 2, 3, 4):
            view = page.reducer.reduce(events[: len(events) * quarter // 4])
            parts = (page.bars.verdict(view, show), page.bars.steps(view, show), page.market(view, show), page.brief(view, show))
            panels = "\n".join(map(str, (*parts, *(panel.build(view, show) for panel in page.panels))))
            yield f"{quarter} of {name}", panels
        if isinstance(page, ResearchPage):
            yield f"file {name}", page.document(record, view, show, "green-up")
        else:
            yield f"file {name}", run_file(page, view, show, None, "green-up", SavedAs(engine.trading.proposal_of(run_id), NOW))
        if page.has_picture:
            try:
                yield f"picture {name}", page.picture(engine, run_id, language, "light", "green-up")
            except BadInput as error:
                yield f"picture {name}", str(error)


def _write(path: Path, text: str) -> None:
    seen: dict[str, str] = {}
    path.write_text(CHANCE.sub(lambda found: seen.setdefault(found[0], f"<{len(seen)}>"), text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
