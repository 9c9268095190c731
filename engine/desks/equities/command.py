"""`fusion SYMBOL` and `memory SYMBOL`: one run of the equities desk, and what its analysts remember."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.asked_runs import add_copies, add_run_options, add_stability, asked_of, play
from engine.shell.command import add_command, command
from engine.shell.json_file import read_object
from engine.shell.stamp import stamp_line
from engine.shell.terminal import ended, print_json, print_line
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from datetime import date

    from engine.api import Engine

say: Final = ShellWords(Path(__file__).parent, "command")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    fusion = add_command(commands, "fusion", say)
    fusion.set_defaults(run=run)
    fusion.add_argument("symbol", metavar="SYMBOL", help=say("symbol"))
    add_run_options(fusion)
    add = fusion.add_argument
    add("--date", metavar="DATE", help=say("date"))
    add("--session", choices=("pre_open", "post_close"), help=say("session"))
    add("--timestamp", metavar="TIME", help=say("timestamp"))
    add("--preset", choices=("stock", "index"), help=say("preset"))
    add("--depth", type=int, metavar="N", help=say("depth"))
    add("--tool-calls", type=int, metavar="N", dest="tool_calls", help=say("tool_calls"))
    add("--openings", choices=("alternate", "together"), help=say("openings"))
    add("--lookups", choices=("asked", "planned"), help=say("lookups"))
    add("--risk", metavar="FILE", help=say("risk"))
    add("--broker", metavar="NAME", help=say("broker"))
    add("--evidence", metavar="RUN_ID", action="append", help=say("evidence"))
    add("--propose", action="store_true", help=say("propose"))
    add_stability(fusion)
    add_copies(fusion)
    memory = command(commands, "memory", _memory, say)
    memory.add_argument("symbol", metavar="SYMBOL", help=say("memory_symbol"))
    memory.add_argument("--analyst", metavar="KEY", help=say("analyst"))
    memory.add_argument("--date", metavar="DATE", help=say("memory_date"))


def run(options: argparse.Namespace) -> int:
    """Run the desk; returns the exit code. Raises a TribunalError with one line when there is no state."""
    risk = read_object(options.risk, "risk") if options.risk is not None else None
    return play(options, lambda engine: _request(engine, options, risk), sentence)


def _request(engine: "Engine", options: argparse.Namespace, risk: dict[str, Any] | None) -> Any:
    return engine.equities.request(
        options.symbol,
        trade_date=_date(options.date),
        risk=risk,
        propose=options.propose or None,
        **asked_of(
            options, "session", "timestamp", "preset", "depth", "tool_calls", "openings", "lookups", "broker", "evidence", "stability"
        ),
    )


def _memory(engine: "Engine", options: argparse.Namespace) -> None:
    found = engine.equities.memory(options.symbol, options.analyst, _date(options.date))
    if options.json:
        print_json(found)
        return
    for analyst, memory in found.items():
        for name, text in memory.items():
            print_line(say("remembered", analyst=term(analyst), name=term(name), text=text or "-"))


def _date(text: str | None) -> "date | None":
    from datetime import date

    from engine.domain.errors import BadInput

    if text is None:
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(say("date_unread", date=repr(text[:40]))) from None


def sentence(state: dict[str, Any]) -> str:
    """Return a run of the desk in one line."""
    when = {"date": state["trade_date"], "session": term(state["trading_session"]), "price": f"{state['current_price']:g}"}
    line = say("decided", company=state["company_of_interest"], action=term(state["trader_action"]), **when)
    if order := state["order"]:
        line += say("order", quantity=order["quantity"], price=f"{order['price']:g}", value=f"{order['value']:.2f}")
    if state["planted"]:
        line += say("found", found=state["false_claims"], planted=len(state["planted"]))
    if state.get("stability"):
        line += say("stability", stamp=stamp_line(state["stability"]))
    if state.get("proposal_id"):
        line += say("proposal", id=state["proposal_id"])
    return ended(state, line)
