"""`proposals`, `approve`, `edit`, `reject`, `positions`, `close`, `protect`, `halt`, `unhalt`: what becomes of decisions."""

import argparse
from typing import TYPE_CHECKING, Any

from engine.cli.command import command, run_maintenance, warn_unprotected
from engine.cli.terminal import NO_STOP, print_json, print_line, warn

if TYPE_CHECKING:
    from engine.api import Amount, Engine, HeldPosition, InFlightOrder
    from engine.domain.orders import OrderReport
    from engine.domain.proposal import Proposal


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    proposals = command(
        commands, "proposals", _proposals, "list proposals", "List the newest proposals, newest first.", maintenance="itself"
    )
    proposals.add_argument("--limit", type=int, default=200, metavar="N", help="how many at most (default: 200)")
    about = "Sign a proposal and, when all have signed, order it. Exit 1 too when the position's stop is not confirmed."
    approve = command(commands, "approve", _approve, "approve a proposal", about, maintenance="itself")
    approve.add_argument("--hash", metavar="HASH", help="only if it is unchanged since you read it (see `proposals --json`)")
    edit = command(commands, "edit", _edit, "change a proposal", "Change a proposal before it is approved.")
    edit.add_argument(
        "--entry", type=float, metavar="P", help="another limit price of an order for shares; makes one at market a limit order"
    )
    edit.add_argument("--at-market", action="store_true", help="no limit price any more")
    edit.add_argument("--stop", type=float, metavar="P", help="another stop, quote units")
    edit.add_argument("--target", type=float, metavar="P", help="another target, quote units")
    edit.add_argument("--size", type=float, metavar="S", help="another size, base units")
    edit.add_argument("--leverage", type=int, metavar="L", help="another leverage, x")
    reject = command(commands, "reject", _reject, "refuse a proposal", "Refuse a proposal, with a reason.")
    reject.add_argument("--why", required=True, metavar="TEXT", help="the reason")
    for each in (approve, edit, reject):
        each.add_argument("proposal_id", metavar="ID", help="as `proposals` lists it")
    about = "List every open position of every account. Exit 1 when one is without its stop."
    command(commands, "positions", _positions, "list open positions", about, maintenance="itself", degraded=True)
    about = (
        "Close a position at market, or a part of it. Allowed while trading is halted. Entries that still work in its market are cancelled "
        "first. Where a part of the position is not ours, it asks how much; without a terminal, and with --json, one of --ours, --all and "
        "--size is required then (exit 2)."
    )
    close = command(commands, "close", _close, "close a position", about, maintenance="last", degraded=True)
    close.add_argument("symbol", metavar="SYMBOL", help="as `positions` lists it")
    close.add_argument("--account", metavar="NAME", help="where several accounts hold it")
    how_much = close.add_mutually_exclusive_group()
    how_much.add_argument("--size", type=float, metavar="S", help="a part of it only, base units")
    how_much.add_argument("--ours", action="store_const", const="ours", help="what our own orders made of it, and nothing else")
    how_much.add_argument("--all", action="store_const", const="all", help="all of it, what is not ours too")
    about = "Propose another stop or target of an open position. Nothing moves before the proposal is approved."
    protect = command(commands, "protect", _protect, "propose another stop or target", about, maintenance="itself")
    protect.add_argument("symbol", metavar="SYMBOL", help="as `positions` lists it")
    protect.add_argument("--stop", type=float, metavar="P", help="another stop, quote units")
    protect.add_argument("--target", type=float, metavar="P", help="another target, quote units")
    protect.add_argument("--account", metavar="NAME", help="where several accounts hold it")
    about = "Stop every approval and every new position, in all processes."
    halt = command(commands, "halt", _halt, "stop all trading", about, maintenance="last", degraded=True)
    halt.add_argument("--why", default="", metavar="TEXT", help="the reason")
    command(commands, "unhalt", _unhalt, "allow trading again", "Allow trading again.")


def _proposals(engine: "Engine", options: argparse.Namespace) -> None:
    _recover(engine)
    found = engine.trading.proposals(max(0, options.limit))
    if options.json:
        print_json([row(each) for each in found])
        return
    halted = engine.trading.halted() is not None
    for each in found:
        print_line(proposal_line(each, halted=halted))


def _approve(engine: "Engine", options: argparse.Namespace) -> int:
    _recover(engine)
    proposal = engine.trading.approve(options.proposal_id, engine.trading.operator, options.hash)
    record = engine.trading.execution_record(proposal.id)
    if options.json:
        print_json(row(proposal) | ({"execution_record": record} if proposal.basis.instrument == "shares" else {}))
    else:
        print_line(proposal_line(proposal))
    if not engine.trading.is_unprotected(proposal):
        return 0
    why = proposal.why or "nobody knows yet what became of its order"
    warn(f"error: the position of {proposal.id} is not confirmed to have its stop: {why}; see `guard` and `positions`")
    warn_unprotected(engine)
    return 1


def _edit(engine: "Engine", options: argparse.Namespace) -> None:
    from engine.api import Change
    from engine.domain.errors import BadInput

    change = Change(
        stop=options.stop,
        target=options.target,
        size=options.size,
        leverage=options.leverage,
        entry=options.entry,
        at_market=options.at_market,
    )
    if change == Change():
        raise BadInput("nothing to change: give --entry, --at-market, --stop, --target, --size or --leverage")
    _print(engine.trading.edit(options.proposal_id, engine.trading.operator, change), options)


def _reject(engine: "Engine", options: argparse.Namespace) -> None:
    _print(engine.trading.reject(options.proposal_id, engine.trading.operator, options.why), options)


def _positions(engine: "Engine", options: argparse.Namespace) -> int:
    _recover(engine)
    found = engine.trading.positions()
    if options.json:
        print_json([each.to_json() for each in found])
    for each in found if not options.json else ():
        print_line(_position_line(each))
    return 0 if all(each.is_protected for each in found) else 1


def _close(engine: "Engine", options: argparse.Namespace) -> int:
    from engine.domain.errors import BadInput

    if options.size is not None and not 0 < options.size < float("inf"):
        raise BadInput(f"size {options.size!r} is not a number above zero")
    report = _closed(engine, options)
    closed = {"client_id": report.client_id, "state": report.state, "filled": float(report.filled), "fee": float(report.fee)}
    price = float(report.price) if report.price is not None else None
    if options.json:
        print_json({"symbol": options.symbol, **closed, "price": price, "why": report.why})
    else:
        print_line(f"{options.symbol}: {report.state}, {report.filled:f} at {price}, fee {report.fee:f}, order {report.client_id}")
    if report.why:
        warn(f"error: {report.why}")
    return 1 if report.why else 0


def _closed(engine: "Engine", options: argparse.Namespace) -> "OrderReport":
    """Close what was asked for; where a part of the position is not ours, ask the person at the terminal how much."""
    import sys

    from engine.domain.errors import NotOnlyOurs

    def close(amount: "Amount") -> "OrderReport":
        return engine.trading.close_position(options.symbol, engine.trading.operator, options.account, amount)

    try:
        return close(options.size or options.ours or options.all)
    except NotOnlyOurs as asked:
        choices = ["ours", "all"] if asked.ours > 0 else ["all"]
        if options.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise NotOnlyOurs(f"{asked} with {', '.join(f'--{each}' for each in choices)} or --size", asked.ours, asked.size) from None
        print_line(f"{asked}: {' or '.join(choices)}; anything else closes nothing")
        answer = input("close: ").strip()
        if answer not in choices:
            raise
        return close("ours" if answer == "ours" else "all")


def _protect(engine: "Engine", options: argparse.Namespace) -> None:
    from engine.api import WantedLevels
    from engine.domain.errors import BadInput

    if options.stop is None and options.target is None:
        raise BadInput("nothing to change: give --stop or --target")
    _recover(engine)
    wanted = WantedLevels(options.symbol, options.stop, options.target, options.account)
    _print(engine.trading.propose_levels(wanted, engine.trading.operator), options)


def _halt(engine: "Engine", options: argparse.Namespace) -> None:
    in_flight = engine.trading.halt(engine.trading.operator, options.why)
    _print_switch(engine, options, [_in_flight_row(each) for each in in_flight])
    for each in in_flight if not options.json else ():
        print_line(_in_flight_line(each))


def _unhalt(engine: "Engine", options: argparse.Namespace) -> None:
    engine.trading.unhalt(engine.trading.operator)
    _print_switch(engine, options)


def _in_flight_row(each: "InFlightOrder") -> dict[str, Any]:
    """Return an order that a halt found in flight, as `halt --json` lists it."""
    proposal = each.proposal
    order = proposal.order_ids[-1] if proposal.order_ids else None
    return {"proposal": proposal.id, "symbol": proposal.basis.symbol, "order": order, "state": proposal.state, "became": each.what}


def _in_flight_line(each: "InFlightOrder") -> str:
    words = {
        "called_off": "was approved and had not been sent: nothing is ordered",
        "cancelled": "had been sent and was cancelled by the broker: nothing of it was filled",
        "under_way": "may be at the broker or filled already: `proposals` says what became of it, `close` takes the risk away",
    }
    proposal = each.proposal
    return f"{proposal.id}: {proposal.plan.side} {proposal.plan.amount:f} {proposal.basis.symbol} {words[each.what]}"


def _print_switch(engine: "Engine", options: argparse.Namespace, in_flight: list[dict[str, Any]] | None = None) -> None:
    row_ = engine.trading.halted()
    if options.json:
        switch = {"halted": row_ is not None, "by": row_.who if row_ else None, "at": row_.at.isoformat() if row_ else None}
        print_json(switch | ({"under_way": in_flight} if in_flight is not None else {}))
    else:
        print_line(f"trading is halted, by {row_.who}" if row_ else "trading is allowed")


def _recover(engine: "Engine") -> None:
    """Find out what an earlier process left before doing anything else. What cannot be found out now is printed and stays for later."""
    from engine.domain.errors import TribunalError

    try:
        if engine.trading.uses_exchange:
            run_maintenance(engine, send=True)
        else:
            for proposal in engine.trading.recover():
                warn(f"proposal {proposal.id}: {proposal.state}: {proposal.why}")
        for warning in engine.trading.warnings():
            warn(f"warning: {warning}")
    except TribunalError as problem:
        warn(f"what an earlier process left could not be checked: {problem}")


def row(proposal: "Proposal") -> dict[str, Any]:
    """Return a row of `proposals --json`: numbers as numbers. Money in quote units, size in base units."""
    basis, plan, figures = proposal.basis, proposal.plan, proposal.figures
    numbers = {name: _number(value) for name, value in figures.model_dump().items() if name != "price"}
    return {
        "id": proposal.id,
        "run_id": basis.run_id,
        "symbol": basis.symbol,
        "action": basis.action.value,
        "state": proposal.state,
        "created_at": proposal.created_at.isoformat(),
        "expires_at": proposal.expires_at.isoformat(),
        "hash": proposal.hash,
        "side": plan.side,
        "size": float(plan.amount),
        "leverage": plan.leverage,
        "entry_price": float(figures.price),
        "stop": _number(plan.stop),
        "target": _number(plan.target),
        "reduce_only": plan.reduce_only,
        "protects": plan.protects,
        "adjustment_pct": basis.adjustment_pct,
        "confidence": basis.confidence,
        **numbers,
        "limits": [check.model_dump() for check in proposal.limits],
        "instrument": basis.instrument,
        "limit_price": _number(plan.limit),
        "machine": {name: _number(value) for name, value in proposal.machine.model_dump(mode="python").items()},
        "edited": proposal.is_edited,
        "signatures": [each.model_dump(mode="json") for each in proposal.signatures],
        "signers_needed": proposal.signers_needed,
        "order_ids": list(proposal.order_ids),
        "broker": basis.place.broker,
        "account": basis.account,
        "snapshot_hash": basis.snapshot_hash,
        "changed_at": proposal.changed_at.isoformat(),
        "changed_by": proposal.changed_by,
        "why": proposal.why or None,
    }


def _number(value: Any) -> Any:
    from decimal import Decimal

    return float(value) if isinstance(value, Decimal) else value


def _print(proposal: "Proposal", options: argparse.Namespace) -> None:
    if options.json:
        print_json(row(proposal))
    else:
        print_line(proposal_line(proposal))


def proposal_line(proposal: "Proposal", *, halted: bool = False) -> str:
    """Return a proposal as a line of `proposals`. halted: trading is."""
    from engine.domain.shown_state import state_of_proposal

    plan, basis, state = proposal.plan, proposal.basis, state_of_proposal(proposal, halted=halted).replace("_", " ")
    levels = f", stop {plan.stop:f}, target {plan.target:f}" if plan.stop is not None and plan.target is not None else ""
    if plan.protects:
        levels = ", ".join(f"{name} {level:f}" for name, level in (("stop", plan.stop), ("target", plan.target)) if level is not None)
        return f"{proposal.id}  {state:<13}  {basis.symbol:<16}  levels of the position: {levels}{_why(proposal)}"
    order = f"{plan.side} {plan.amount:f}" + (f" at {plan.leverage}x" if plan.leverage else "") + levels
    return f"{proposal.id}  {state:<13}  {basis.symbol:<16}  {basis.action.value}: {order}{_why(proposal)}"


def _why(proposal: "Proposal") -> str:
    return f"  {proposal.why}" if proposal.why else ""


def _position_line(held: "HeldPosition") -> str:
    position = held.position
    warning = "" if held.is_protected else "  " + NO_STOP
    ours = f" ({held.ours:f} of it ours)" if held.is_shared and held.ours else " (not ours)" if held.is_shared else ""
    size = f"{position.size:f}{ours} at {position.entry_price:f} {held.money}"
    return f"{position.symbol:<16}  {position.side:<5}  {size}  {_progress(held)}  {held.account}{warning}"


def _progress(held: "HeldPosition") -> str:
    """Return `price -0.02 %, result -6.26 USDT (-0.22 R) after costs`; why it is not known where it was not measured."""
    profit = held.facts.get("profit_pct")
    if profit is None:
        return held.why
    in_r = f" ({held.in_r:+.2f} R)" if held.in_r is not None else ""
    result = f", result {held.result:+.2f} {held.money}{in_r} after costs" if held.result is not None else ""
    still = f", its market stands still at {held.at:%Y-%m-%d %H:%M} UTC" if held.stands_still and held.at is not None else ""
    return f"price {profit:+.2f} %{result}{still}"
