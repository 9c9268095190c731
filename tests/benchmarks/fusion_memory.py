"""What ten years of daily reports cost: how long an analyst's memory takes to answer, and how long the prompts are that it stands in.

The reports are written into a journal as that many runs would have left them. The model that is then asked is in this process: its
requests are looked at, not timed.
"""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

from sqlalchemy import insert

from engine.api import Engine
from engine.desks.equities.memory.controller import DatedReport, DatedSummary, MemoryController, read_held, report_name, summary_name
from engine.desks.equities.presets import preset_of
from engine.equity.sessions import calendar_of
from engine.journal.store import open_journal
from engine.journal.tables import MEMORIES
from engine.prompts.tokens import count_tokens
from engine.settings import Settings
from tests.benchmarks.measured import Measured
from tests.flows.answers import asked_role
from tests.flows.equities.played import DECISION, PLAN, TRADE, VIEW
from tests.servers.llm import Body, LLMServer

SYMBOL, SOURCE = "AAPL", "simulated 0"
FIRST, LAST, ASKED = date(2013, 12, 2), date(2023, 12, 1), date(2023, 12, 4)
REPORT = "On this day the share stood at 183.2 and the news of the supplier weighed on it. " * 12
SUMMARY = "It has lasted since the spring that margins rise while the share does not. " * 20
QUESTIONS = 40
MOST_MS, MOST_TOKENS = 20, 6000
_ENDS = {"research manager": PLAN, "risk judge": DECISION, "trader": TRADE}


def measure_memory(folder: Path) -> Iterator[Measured]:
    """folder: a place of its own."""
    long, short = folder / "ten-years", folder / "fortnight"
    days = calendar_of("XNYS").between(FIRST, LAST)
    write_reports(long, days)
    write_reports(short, days[-10:])
    note = f"{len(days)} reports and summaries of each of four analysts; read, and given as before the open and as of the close"
    yield Measured("an analyst's memory of ten years answers", "ms", list(_answers_ms(long)), MOST_MS, note=note)
    longest, all_of_it = _prompt_tokens(long)
    fresh, _ = _prompt_tokens(short)
    yield Measured("longest prompt of a run with it", "tokens", [longest], MOST_TOKENS, "maximum", note=f"all of them {all_of_it}")
    yield Measured("the same, to a run with a fortnight's memory", "x", [longest / fresh], 1.0, note="it does not grow with history")


def write_reports(home: Path, days: tuple[date, ...]) -> None:
    """A journal with a report and a summary of every analyst after the close of each day."""
    calendar, rows = calendar_of("XNYS"), []
    for day in days:
        of = {"trade_date": day, "trading_session": "post_close", "dated": calendar.session(day).close.isoformat(), "source": SOURCE}
        report, summary = DatedReport(**of, text=f"{day}: {REPORT}"), DatedSummary(**of, text=f"{day}: {SUMMARY}")  # type: ignore[arg-type]
        for analyst in preset_of("stock").analysts:
            for name, body in ((report_name(analyst.key), report), (summary_name(analyst.key), summary)):
                rows.append(
                    {"run_id": f"r-{day}", "flow": "fusion", "subject": SYMBOL, "name": name, "written_at": of["dated"]}
                    | {"dated": of["dated"], "body": body.model_dump_json()}
                )
    home.mkdir(parents=True)
    with closing(open_journal(home, None)) as journal, journal._talking("write memories to") as connection:
        connection.execute(insert(MEMORIES), rows)


def _answers_ms(home: Path) -> Iterator[float]:
    """Milliseconds from the question to both summaries, for days all over the ten years."""
    days = calendar_of("XNYS").between(FIRST, LAST)
    with closing(open_journal(home, None)) as journal:
        for day in days[len(days) % 50 :: len(days) // QUESTIONS]:
            until = calendar_of("XNYS").session(day).close.isoformat()
            began = time.perf_counter()
            held = read_held(journal.memories, "news", SYMBOL, day, "post_close", until, SOURCE)
            given = MemoryController("news", "daily", SYMBOL, held).get_memory_summary(SYMBOL, day, "post_close")
            yield (time.perf_counter() - began) * 1000
            assert str(day) in given["today_report"]
            assert str(day) in given["memory_summary_post_close"]


def _prompt_tokens(home: Path) -> tuple[int, int]:
    """Tokens of the longest prompt of a run on this memory, and of all its prompts; the calls' tools are not counted."""

    def answer(body: Body) -> str:
        role = asked_role(body)
        return f"{REPORT}\n\n{_ENDS.get(role, VIEW)}" if role != "memory summarizer" else SUMMARY

    with LLMServer(answer) as server:
        endpoint = {"openai_base_url": server.base_url, "openai_api_key": "sk-benchmark", "model": "loopback"}
        with closing(Engine(Settings(_env_file=None, home=home, pace=0, **endpoint))) as engine:  # type: ignore[arg-type]
            state = engine.wait(engine.start(engine.equities.request(SYMBOL, trade_date=ASKED)), 120).result
        assert state is not None
        assert state["is_valid"], state["errors"]
        sizes = [count_tokens(json.dumps(request.body["messages"], ensure_ascii=False)) for request in server.requests]
    summaries = [request for request in server.requests if asked_role(request.body) == "memory summarizer"]
    assert len(summaries) == 4, "a week begins: every memory is made anew"
    return max(sizes), sum(sizes)
