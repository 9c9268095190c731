"""`decide SYMBOL`: form one decision, print its progress and its state."""

import argparse
from typing import TYPE_CHECKING, Any

from engine.cli.asked_runs import add_copies, play
from engine.cli.json_file import read_object
from engine.cli.terminal import print_end

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.domain.run import DecideRequest


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    decide = commands.add_parser("decide", help="form one decision", description="Form one decision and print its state.")
    decide.set_defaults(run=run)
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
    add("--openings", choices=("alternate", "together"), help="whether bull and bear open at once (default: alternate)")
    add("--lies", type=float, metavar="R", help="share of false values the scripted model states, 0.0-1.0 (default: 0)")
    add("--seed", type=int, metavar="N", help="of the scripted model and the simulated market (default: 0)")
    add("--evidence", metavar="RUN_ID", action="append", help="a finished research or plan run whose dated statements analysts are given")
    add("--propose", action="store_true", help="file what is decided as a proposal, to be approved or rejected")
    add("--broker", choices=("paper", "exchange"), help="whose account it is decided for (default: TRIBUNAL_BROKER)")
    kinds = "value, timeframe, price, symbol, state"
    add("--chaos", metavar="ROLE:KIND", help=f"plant one lie in one role (bull, trend, executor, ...); kinds: {kinds}")
    add_copies(decide)
    add("--events", metavar="FILE", help="write the run's events there, JSON lines")
    add("--json", action="store_true", help="print the whole state as JSON")


def run(options: argparse.Namespace) -> int:
    """Run the command; returns the exit code. Raises a TribunalError with one line when there is no decision."""
    position, risk = _read(options.position, "position"), _read(options.risk, "risk")

    def print_state(state: dict[str, Any]) -> None:
        print_end(state, decision_sentence(state), as_json=options.json)

    return play(options, lambda engine: _request(engine, options, position, risk), print_state)


def _request(engine: "Engine", options: argparse.Namespace, position: Any, risk: Any) -> "DecideRequest":
    from engine.api import parse_instant, usual_higher
    from engine.domain.errors import BadInput

    htf = usual_higher(options.timeframe) if options.htf is None else options.htf.strip()
    if not htf:
        raise BadInput("higher timeframe '' is not known: write one, for example 4h, or none")
    return engine.decisions.request(
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
        openings=options.openings,
        lies=options.lies,
        seed=options.seed,
        chaos=options.chaos,
        propose=options.propose,
        evidence=options.evidence,
        broker=options.broker,
    )


def decision_sentence(state: dict[str, Any]) -> str:
    """Return a decision in one line."""
    result = state["execution_result"]
    line = f"{state['pair']} at {state['current_price']:g}: {result['action']}, confidence {result['confidence']:g}"
    if result["stop_loss"] is not None:
        line += (
            f", {result['leverage']}x, stop {result['stop_loss']:g}, target {result['take_profit']:g}, ratio {state['risk_reward_ratio']:g}"
        )
    if lies := state["planted"]:
        line += f"; {sum(lie['caught'] for lie in lies)} of {len(lies)} planted values caught"
    if state.get("proposal_id"):
        line += f"; proposal {state['proposal_id']}"
    return line if state["is_valid"] else f"{line}, not valid: {'; '.join(state['errors'])}"


def _read(path: str | None, what: str) -> dict[str, Any] | None:
    return None if path is None else read_object(path, what)
