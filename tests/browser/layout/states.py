"""The pages and their states that are looked at, and the home in which they stand: what was decided, asked and signed at fixed instants of
simulated markets, so that the same pages come out on any day.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

from engine.api import Engine
from engine.api.replays import Replays, Wanted
from engine.api.sweeps import Sweeps, keys_of
from engine.domain.errors import TribunalError
from engine.domain.run import RunRequest
from engine.settings import Settings
from tests.journals import fill

AT: Final = "2026-11-01T08:00:00Z"
"""A market that stands still."""
HALT, ALLOW, OPEN_FORM = ".st-key-halt button", ".st-key-unhalt button", "[class*=st-key-open-edits-] button"
DAY: Final = date(2024, 3, 5)
NOWHERE: Final = "http://127.0.0.1:9"
"""The discard port: nothing answers."""
SETTINGS: Final = {
    "TRIBUNAL_OPERATOR": "op-1",
    **{f"TRIBUNAL_{name}_URL": NOWHERE for name in ("WIKIPEDIA", "OPENALEX", "SEMANTIC_SCHOLAR", "TAVILY", "SEC_EDGAR")},
}
"""Of the server whose pages are looked at: no source of research but the example library."""


@dataclass(frozen=True)
class State:
    """A page in a state.

    path: ends in `?` or a query; `{waiting}` in it is the run of that name in `Prepared.runs`. there: what stands once it is drawn. hidden:
    what shows the market of today or how long something took, left out of the picture. pictured: whether a picture of it is approved.
    printed: whether it is put on paper, and shown in forced colours. press, pressed: a button that leads into the state, and what then
    stands. undo: the button that leads out again.
    """

    name: str
    path: str
    there: tuple[str, ...]
    hidden: str = ""
    pictured: bool = True
    printed: bool = False
    press: str = ""
    pressed: str = ""
    undo: str = ""


CHART: Final = ".tb-chart .plot"
TIMES: Final = ".tb-tl .bars > *, .tb-track > *, .tb-step .left"
"""Bars as long as a step took, and as the time that is left."""
ASKED_DAYS: Final = ".st-key-replay-from, .st-key-replay-to"
"""What is proposed to be replayed: the days before today."""
MEASURED: Final = "[class*=st-key-approve-] button:not([disabled])"
"""The market of now has been looked at, and what waits can be signed."""
DRAWN: Final = ".tb-chart .plot .cartesianlayer"
BEFORE: Final = (
    State("desk idle", "?", (".tb-verdict", DRAWN), hidden=CHART),
    State("equities idle", "equities?", (".tb-verdict", DRAWN), hidden=f"{CHART}, .tb-events > *"),
    State("research idle", "research?", (".tb-verdict",)),
)
"""While nothing has been asked yet."""
AFTER: Final = (
    State("desk waiting", "?run={waiting}", (".st-key-signs", MEASURED, DRAWN), hidden=TIMES, printed=True),
    State("desk editing", "?run={waiting}", (".st-key-signs", DRAWN), pictured=False, press=OPEN_FORM, pressed=".st-key-plan-inputs"),
    State("desk signed", "?run={signed}", (DRAWN,), hidden=TIMES),
    State("desk running", "?run={slow}", (".tb-an .txt p",), pictured=False),
    State("equities waiting", "equities?run={equities}", (MEASURED, DRAWN), hidden=TIMES, printed=True),
    State("research answered", "research?run={research}", (".tb-ds",), hidden=TIMES, printed=True),
    State("approvals", "approvals?", (".tb-row .left", MEASURED, DRAWN), hidden=TIMES),
    State("positions", "positions?", (".tb-pos", DRAWN), hidden=f"{CHART}, .tb-acc .on"),
    State(
        "journal",
        "journal?sort=oldest",
        (".tb-jn", ".tb-curve"),
        hidden=".tb-market .kv, .tb-card:has(.tb-jn) .tb-h .tb-lab, [aria-label^=Honesty] tr:last-child td:first-child",  # the week
    ),
    State("replay", "replay?replay={replay}", (".tb-verdict", ".tb-curve"), hidden=f"{ASKED_DAYS}, [aria-label='This replay'] .tb-dl"),
    State("sweep", "replay?replay={sweep}", (".tb-tab", ".tb-mult svg"), hidden=ASKED_DAYS),
    State("runs", "runs?", (".tb-tab",)),
    State("connect", "connect?", (".tb-cn",)),
    State("settings", "settings?", (".tb-choice",)),
    State("approvals halted", "approvals?", ("[class*=st-key-card-]",), pictured=False, press=HALT, pressed=ALLOW, undo=ALLOW),
)
"""Once the home has been filled."""


@dataclass(frozen=True)
class Prepared:
    """The runs by name, with a replay and a sweep; `slow` goes on as long as the home is held."""

    runs: dict[str, str]


@contextmanager
def filled(home: Path) -> Iterator[Prepared]:
    """Decide, ask and sign what the states show, through engines of our own on the server's home, and let one run go on meanwhile.
    Decisions of other days, which only the journal has, are written into it."""
    fill(home, 160, every=timedelta(hours=6))
    replays = _replayed(home)
    quick, slow = _engine(home, 0), _engine(home, 0.01)
    try:
        ended = {name: quick.wait(quick.start(asked), 60).run_id for name, asked in _asked(quick).items()}
        for name in ("signed", "shares"):
            proposal = quick.trading.proposal_of(ended[name])
            assert proposal is not None
            assert quick.trading.approve(proposal.id, "op-1").state == "filled"
        waiting = quick.trading.proposal_of(ended["waiting"])
        assert waiting is not None
        assert waiting.is_waiting
        quick.outcomes.catch_up()
        going = slow.start(slow.decisions.request("BTC/USDT:USDT", seed=7, at=AT, lies=0.2))
        yield Prepared({**ended, **replays, "slow": going})
        with suppress(TribunalError):  # it may have come to its end on a machine that is busy enough
            slow.stop(going)
    finally:
        quick.close()
        slow.close()


class _Unheard:
    """Hears nothing of a replay."""

    def begun(self, replay_id: str) -> None: ...

    def progress(self, part: str, done: int, total: int) -> None: ...


def _replayed(home: Path) -> dict[str, str]:
    """Replay a day, and sweep it over two settings: their names."""
    replays = Replays(Settings(_env_file=None, home=home))  # type: ignore[call-arg]
    asked = {"feed": "simulated", "timeframe": "1h", "timeframe_htf": "4h", "seed": 3, "model": "scripted"}
    begins = datetime(2025, 5, 1, tzinfo=UTC)
    day = Wanted("BTC/USDT:USDT", asked, begins, begins + timedelta(days=1), every=6)
    sweep = Sweeps(replays).play(keys_of(["depth=1,2", "min_confidence=50,70"]), replace(day, every=12), _Unheard())
    return {"replay": replays.play(day, _Unheard()).replay_id, "sweep": sweep.replay_id}


def _engine(home: Path, pace: float) -> Engine:
    slow = {"call_deadline_s": 3_600, "run_deadline_s": 3_600}  # the slow run goes on
    return Engine(Settings(_env_file=None, home=home, pace=pace, proposal_minutes=60, operator="op-1", **slow))  # type: ignore[call-arg]


def _asked(engine: Engine) -> dict[str, RunRequest]:
    company = {"trade_date": DAY, "session": "post_close", "propose": True}
    return {
        "signed": engine.decisions.request("ETH/USDT:USDT", seed=201, at=AT, propose=True, lies=0.2),
        "shares": engine.equities.request("MSFT", **company),
        "equities": engine.equities.request("AAPL", depth=2, lies=0.2, seed=7, **company),
        "research": engine.plans.request("Is BTC funding high and is the long crowded?", symbol="BTC/USDT:USDT", at=AT),
        "waiting": engine.decisions.request("BTC/USDT:USDT", seed=213, at=AT, propose=True, lies=0.2),
    }
