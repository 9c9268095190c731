"""The shell: `python -m engine COMMAND ...`, over the api.

Results go to stdout, progress and messages to stderr. Exit 0 done, 1 failed, 2 bad usage; a failure is one clear line, never a traceback.
Heavy imports come after the arguments are read, so that --help answers at once.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.events import Event
    from engine.domain.run import DecideRequest

POLL_S = 0.1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    options = _parser().parse_args(arguments)
    from engine.domain.errors import TribunalError

    with suppress(ValueError):  # only a main thread has signals
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # asked to end is the same from the keyboard and from a supervisor
    try:
        return int(options.run(options))
    except TribunalError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return problem.exit_code
    except BrokenPipeError:  # the reader of our output went away: its choice, not our failure
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - so that closing it later does not fail again
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 1
    except OSError as problem:  # files that are read or written answer for themselves: this is our own output
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
        print(f"error: the result cannot be written: {problem.strerror or problem}", file=sys.stderr)
        return 1
    except Exception as problem:  # the last word of the shell: whatever broke, one line and no traceback
        said = " ".join(f"{type(problem).__name__}: {problem}".split())[:200]
        print(f"error: a fault of the program, not of your command: {said}", file=sys.stderr)
        return 1


class _OneLine(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, without the whole usage."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(2, f"error: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _OneLine(
        prog="python -m engine", description="A trading decision, argued by analysts, checked against the market. Not advice."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    decide = commands.add_parser("decide", help="form one decision", description="Form one decision and print its state.")
    decide.set_defaults(run=_decide)
    decide.add_argument("symbol", metavar="SYMBOL", help="as ccxt names it: BTC/USDT:USDT (perpetual), BTC/USDT (spot)")
    add = decide.add_argument
    add("--feed", choices=("simulated", "recorded", "live"), help="where candles come from (default: TRIBUNAL_FEED)")
    add("--data", metavar="FOLDER", help="folder of recorded candles; means --feed recorded (default: TRIBUNAL_DATA_DIR)")
    add("--exchange", metavar="ID", help="ccxt id of a live exchange (default: TRIBUNAL_EXCHANGE)")
    add("--at", metavar="TIME", help="the clock, ISO 8601 (default: now, or the end of the recording)")
    add("--timeframe", metavar="TF", default="15m", help="main timeframe (default: 15m)")
    add("--htf", metavar="TF", default=None, help="higher timeframe; 'none' for one timeframe only (default: the next usual one)")
    add("--position", metavar="FILE", help='JSON of the open position: {"side","entry_price","size","leverage","opened_at"}')
    add("--risk", metavar="FILE", help="JSON of the limits (default: TRIBUNAL_RISK)")
    add("--model", metavar="NAME", help="a model of your endpoint, or 'scripted' (default: TRIBUNAL_MODEL)")
    add("--language", choices=("en", "zh"), help="of prompts and texts (default: TRIBUNAL_LANGUAGE)")
    add("--depth", type=int, metavar="N", help="rounds of the debate, 1-3 (default: 1)")
    add("--lies", type=float, metavar="R", help="share of false values the scripted model states, 0.0-1.0 (default: 0)")
    add("--seed", type=int, metavar="N", help="of the scripted model and the simulated market (default: 0)")
    add("--events", metavar="FILE", help="write the run's events there, JSON lines")
    add("--json", action="store_true", help="print the whole state as JSON")
    return parser


def _decide(options: argparse.Namespace) -> int:
    from contextlib import ExitStack, closing

    from engine.api import Engine

    with ExitStack() as stack:
        position, risk = _read_json(options.position, "position"), _read_json(options.risk, "risk")
        events = stack.enter_context(closing(_EventsFile(options.events))) if options.events is not None else None
        engine = stack.enter_context(closing(Engine()))
        run_id = engine.start(_request(engine, options, position, risk))
        _follow(engine, run_id, events)
        record = engine.wait(run_id)
    assert record.result is not None  # a finished run has a state
    print(json.dumps(record.result, allow_nan=False, ensure_ascii=False) if options.json else _sentence(record.result), flush=True)
    return 0


def _request(engine: "Engine", options: argparse.Namespace, position: Any, risk: Any) -> "DecideRequest":
    from engine.api import parse_instant, usual_higher
    from engine.domain.errors import BadInput

    htf = usual_higher(options.timeframe) if options.htf is None else options.htf.strip()
    if not htf:
        raise BadInput("higher timeframe '' is not known: write one, for example 4h, or none")
    return engine.request(
        options.symbol,
        feed=options.feed,
        data_dir=options.data,
        exchange=options.exchange,
        at=parse_instant(options.at) if options.at is not None else None,
        timeframe=options.timeframe,
        timeframe_htf=None if htf.lower() == "none" else htf,
        holding=position,
        risk=risk,
        model=options.model,
        language=options.language,
        depth=options.depth,
        lies=options.lies,
        seed=options.seed,
    )


def _follow(engine: "Engine", run_id: str, sink: "_EventsFile | None") -> None:
    """Tell the run as it goes; returns when it has ended. Its id comes first, once it has really begun."""
    seen, ended = 0, False
    while not ended:
        ended = _has_ended(engine, run_id)  # looked at before the events, so that none comes after the last look
        for event in engine.events(run_id, seen):
            seen = event.seq
            if sink is not None:
                sink.write(event)
            _tell(event, run_id)


def _has_ended(engine: "Engine", run_id: str) -> bool:
    from engine.domain.errors import TribunalError

    try:
        engine.wait(run_id, POLL_S)
    except TimeoutError:
        return False
    except TribunalError:
        return True
    return True


def _tell(event: "Event", run_id: str) -> None:
    say = {
        "run.started": f"run {run_id}",
        "node.retried": f"  {event.node}: asked again: {event.data.get('reason')}",
        "node.finished": f"  {event.node}: done",
        "node.failed": f"  {event.node}: {event.data.get('reason')}",
    }.get(event.kind)
    if say:
        print(say, file=sys.stderr, flush=True)


def _sentence(state: dict[str, Any]) -> str:
    result = state["execution_result"]
    line = f"{state['pair']} at {state['current_price']:g}: {result['action']}, confidence {result['confidence']:g}"
    if result["stop_loss"] is not None:
        line += (
            f", {result['leverage']}x, stop {result['stop_loss']:g}, target {result['take_profit']:g}, ratio {state['risk_reward_ratio']:g}"
        )
    return line if state["is_valid"] else f"{line} (safe action: {'; '.join(state['errors'])})"


def _read_json(path: str | None, what: str) -> Any:
    """A JSON object from a file. Raises BadInput naming the file."""
    from engine.domain.errors import BadInput

    if path is None:
        return None
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(f"{what} file {path} cannot be read: {_why(problem)}") from None
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{what} file {path} is not JSON: {str(problem)[:200]}") from None
    if not isinstance(data, dict):
        raise BadInput(f"{what} file {path} must hold one JSON object")
    return data


class _EventsFile:
    """Where the run's events are written, a line each, at once. Raises BadInput naming the file, StoreError when it takes no more."""

    def __init__(self, path: str) -> None:
        from engine.domain.errors import BadInput

        self._path = path
        try:
            self._file = Path(path).open("wb", buffering=0)  # noqa: SIM115 - closed by `close`
        except (OSError, ValueError) as problem:
            raise BadInput(f"events file {path} cannot be written: {_why(problem)}") from None

    def write(self, event: "Event") -> None:
        """One more line."""
        from engine.domain.errors import StoreError

        rest = (json.dumps(event.to_json(), allow_nan=False, ensure_ascii=False) + "\n").encode()
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as problem:
            raise StoreError(f"events file {self._path} cannot be written any more: {_why(problem)}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _why(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
