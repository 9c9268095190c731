"""`fusion SYMBOL` and `memory SYMBOL`: one run of the equities desk, and what its analysts remember."""

import argparse
from typing import TYPE_CHECKING, Any

from engine.cli.asked_runs import add_copies, play
from engine.cli.command import command
from engine.cli.json_file import read_object
from engine.cli.terminal import print_end, print_json, print_line

if TYPE_CHECKING:
    from datetime import date

    from engine.api import Engine


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    fusion = commands.add_parser(
        "fusion", help="decide about a company or an index", description="Run the equities desk and print its state."
    )
    fusion.set_defaults(run=run)
    fusion.add_argument("symbol", metavar="SYMBOL", help="AAPL, 600519.SH, 0700.HK, ^GSPC")
    add = fusion.add_argument
    add("--date", metavar="DATE", help="trade date, YYYY-MM-DD (default: the newest session of the source)")
    add(
        "--session",
        choices=("pre_open", "post_close"),
        default="post_close",
        help="before the open or after the close (default: post_close)",
    )
    add("--timestamp", metavar="TIME", help='exact time "YYYY-MM-DD HH:MM:SS" at the exchange; nothing later is known')
    add("--preset", choices=("stock", "index"), help="who analyses (default: by the instrument)")
    add("--depth", type=int, metavar="N", help="rounds of both debates, 1-5 (default: 1)")
    add(
        "--tool-calls",
        type=int,
        metavar="N",
        dest="tool_calls",
        help="calls after which an analyst is stopped (default: 5, from depth 3 on one more a round)",
    )
    add("--openings", choices=("alternate", "together"), help="whether the speakers of a debate open at once (default: alternate)")
    add(
        "--lookups",
        choices=("asked", "planned"),
        help="whether an analyst asks for its tools, or its plan of calls is run before it is asked (default: asked)",
    )
    add("--feed", choices=("simulated", "recorded", "live"), help="where company data come from (default: TRIBUNAL_FEED)")
    add("--data", metavar="FOLDER", help="folder of recorded companies; means --feed recorded (default: TRIBUNAL_DATA_DIR)")
    add("--risk", metavar="FILE", help="JSON of the limits (default: TRIBUNAL_RISK)")
    add("--model", metavar="NAME", help="a model of your endpoint, or 'scripted' (default: TRIBUNAL_MODEL)")
    add("--language", choices=("en", "zh"), help="of prompts and texts (default: TRIBUNAL_LANGUAGE)")
    add("--lies", type=float, metavar="R", help="share of false values the scripted model states, 0.0-1.0 (default: 0)")
    add("--seed", type=int, metavar="N", help="of the scripted model and the simulated companies (default: 0)")
    add("--chaos", metavar="ROLE:KIND", help="plant one lie in one role (market, bull_researcher, risk_judge, ...)")
    add("--broker", choices=("paper",), help="whose account it is decided for (default: paper)")
    add("--evidence", metavar="RUN_ID", action="append", help="a finished research or plan run whose dated statements analysts are given")
    add("--propose", action="store_true", help="file the order as a proposal, to be approved or rejected")
    add_copies(fusion)
    add("--events", metavar="FILE", help="write the run's events there, JSON lines")
    add("--json", action="store_true", help="print the whole state as JSON")
    memory = command(commands, "memory", _memory, "what analysts remember", "Show the reports and long-term memories about a company.")
    memory.add_argument("symbol", metavar="SYMBOL", help="AAPL, 600519.SH, ^GSPC")
    memory.add_argument("--analyst", metavar="KEY", help="market, news, sentiment, fundamentals, macro, ... (default: all)")
    memory.add_argument("--date", metavar="DATE", help="as of that date's close (default: the newest report)")


def run(options: argparse.Namespace) -> int:
    """Run the desk; returns the exit code. Raises a TribunalError with one line when there is no state."""
    risk = read_object(options.risk, "risk") if options.risk is not None else None

    def print_state(state: dict[str, Any]) -> None:
        print_end(state, fusion_sentence(state), as_json=options.json)

    return play(options, lambda engine: _request(engine, options, risk), print_state)


def _request(engine: "Engine", options: argparse.Namespace, risk: dict[str, Any] | None) -> Any:
    return engine.equities.request(
        options.symbol,
        trade_date=_date(options.date),
        session=options.session,
        timestamp=options.timestamp,
        preset=options.preset,
        depth=options.depth,
        tool_calls=options.tool_calls,
        openings=options.openings,
        lookups=options.lookups,
        feed=options.feed,
        data_dir=options.data,
        risk=risk,
        model=options.model,
        language=options.language,
        lies=options.lies,
        seed=options.seed,
        chaos=options.chaos,
        broker=options.broker,
        propose=options.propose or None,
        evidence=options.evidence,
    )


def _memory(engine: "Engine", options: argparse.Namespace) -> None:
    found = engine.equities.memory(options.symbol, options.analyst, _date(options.date))
    if options.json:
        print_json(found)
        return
    for analyst, memory in found.items():
        for name, text in memory.items():
            print_line(f"{analyst} {name}: {text or '-'}")


def _date(text: str | None) -> "date | None":
    from datetime import date

    from engine.domain.errors import BadInput

    if text is None:
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(f"date {text[:40]!r} cannot be read: write YYYY-MM-DD, for example 2024-03-05") from None


def fusion_sentence(state: dict[str, Any]) -> str:
    """Return a run of the desk in one line."""
    when = f"{state['trade_date']} {state['trading_session']}"
    line = f"{state['company_of_interest']} {when} at {state['current_price']:g}: {state['trader_action']}"
    if order := state["order"]:
        line += f" {order['quantity']} at {order['price']:g} ({order['value']:.2f})"
    if state["planted"]:
        line += f"; {state['false_claims']} false statements found, {len(state['planted'])} planted"
    if state.get("proposal_id"):
        line += f"; proposal {state['proposal_id']}"
    return line if state["is_valid"] else f"{line}, not valid: {'; '.join(state['errors'])}"
