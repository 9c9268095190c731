"""`proposals`, `approve`, `edit`, `reject`, `lift`, `positions`, `close`, `protect`, `halt`, `unhalt`: what becomes of decisions."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command, run_maintenance, warn_unprotected
from engine.shell.terminal import in_words, padded, print_json, print_line, warn
from engine.shell.terminal import say as say_of_all
from engine.shell.words import ShellWords, term

if TYPE_CHECKING:
    from engine.api import Amount, Engine, HeldPosition, InFlightOrder
    from engine.domain.orders import OrderReport
    from engine.domain.proposal import Proposal

say: Final = ShellWords(Path(__file__).parent, "trading")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the commands known."""
    proposals = command(commands, "proposals", _proposals, say, maintenance="itself")
    proposals.add_argument("--limit", type=int, default=200, metavar="N", help=say("limit", default=200))
    approve = command(commands, "approve", _approve, say, maintenance="itself")
    approve.add_argument("--hash", metavar="HASH", help=say("hash"))
    edit = command(commands, "edit", _edit, say)
    edit.add_argument("--entry", type=float, metavar="P", help=say("entry"))
    edit.add_argument("--at-market", action="store_true", help=say("at_market"))
    edit.add_argument("--stop", type=float, metavar="P", help=say("stop"))
    edit.add_argument("--target", type=float, metavar="P", help=say("target"))
    edit.add_argument("--size", type=float, metavar="S", help=say("size"))
    edit.add_argument("--leverage", type=int, metavar="L", help=say("leverage"))
    reject = command(commands, "reject", _reject, say)
    reject.add_argument("--why", required=True, metavar="TEXT", help=say("why"))
    lift = command(commands, "lift", _lift, say)
    lift.add_argument("--why", required=True, metavar="TEXT", help=say("why"))
    for each in (approve, edit, reject, lift):
        each.add_argument("proposal_id", metavar="ID", help=say("proposal_id"))
    command(commands, "positions", _positions, say, maintenance="itself", degraded=True)
    close = command(commands, "close", _close, say, maintenance="last", degraded=True)
    close.add_argument("symbol", metavar="SYMBOL", help=say("position_symbol"))
    close.add_argument("--account", metavar="NAME", help=say("account"))
    how_much = close.options.add_mutually_exclusive_group()
    how_much.add_argument("--size", type=float, metavar="S", help=say("close_size"))
    how_much.add_argument("--ours", action="store_const", const="ours", help=say("close_ours"))
    how_much.add_argument("--all", action="store_const", const="all", help=say("close_all"))
    protect = command(commands, "protect", _protect, say, maintenance="itself")
    protect.add_argument("symbol", metavar="SYMBOL", help=say("position_symbol"))
    protect.add_argument("--stop", type=float, metavar="P", help=say("stop"))
    protect.add_argument("--target", type=float, metavar="P", help=say("target"))
    protect.add_argument("--account", metavar="NAME", help=say("account"))
    halt = command(commands, "halt", _halt, say, maintenance="last", degraded=True)
    halt.add_argument("--why", default="", metavar="TEXT", help=say("why"))
    command(commands, "unhalt", _unhalt, say)


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
        print_json(row(proposal) | {"execution_record": record})
    else:
        print_line(proposal_line(proposal))
    if not engine.trading.is_unprotected(proposal):
        return 0
    warn(say("stop_unconfirmed", id=proposal.id, why=in_words(proposal.why or say("order_unknown"))))
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
        raise BadInput(say("nothing_to_edit"))
    _print(engine.trading.edit(options.proposal_id, engine.trading.operator, change), options)


def _reject(engine: "Engine", options: argparse.Namespace) -> None:
    _print(engine.trading.reject(options.proposal_id, engine.trading.operator, options.why), options)


def _lift(engine: "Engine", options: argparse.Namespace) -> None:
    _print(engine.trading.lift(options.proposal_id, engine.trading.operator, options.why), options)


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
        raise BadInput(say("size_wrong", size=options.size))
    report = _closed(engine, options)
    closed = {"client_id": report.client_id, "state": report.state, "filled": float(report.filled), "fee": float(report.fee)}
    price = float(report.price) if report.price is not None else None
    if options.json:
        print_json({"symbol": options.symbol, **closed, "price": price, "why": report.why and in_words(report.why)})
    else:
        figures = {"filled": f"{report.filled:f}", "price": "-" if price is None else price, "fee": f"{report.fee:f}"}
        print_line(say("closed", symbol=options.symbol, state=term(report.state), order=report.client_id, **figures))
    if report.why:
        warn(say_of_all("error", text=in_words(report.why)))
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
            named = say("comma").join(f"--{each}" for each in choices)
            raise NotOnlyOurs(say("say_how_much", asked=in_words(asked), choices=named), asked.ours, asked.size) from None
        print_line(say("ask_how_much", asked=in_words(asked), choices=say("or").join(choices)))
        answer = input(say("prompt")).strip()
        if answer not in choices:
            raise
        return close("ours" if answer == "ours" else "all")


def _protect(engine: "Engine", options: argparse.Namespace) -> None:
    from engine.api import WantedLevels
    from engine.domain.errors import BadInput

    if options.stop is None and options.target is None:
        raise BadInput(say("nothing_to_protect"))
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
    proposal = each.proposal
    order = f"{say('order', side=term(proposal.plan.side), size=f'{proposal.plan.amount:f}')} {proposal.basis.symbol}"
    return say("in_flight", id=proposal.id, text=say(each.what, order=order))


def _print_switch(engine: "Engine", options: argparse.Namespace, in_flight: list[dict[str, Any]] | None = None) -> None:
    row_ = engine.trading.halted()
    if options.json:
        switch = {"halted": row_ is not None, "by": row_.who if row_ else None, "at": row_.at.isoformat() if row_ else None}
        print_json(switch | ({"under_way": in_flight} if in_flight is not None else {}))
    else:
        print_line(say("halted", who=row_.who) if row_ else say("allowed"))


def _recover(engine: "Engine") -> None:
    """Settle the orders that an earlier process left, before anything else. What cannot be settled now is printed and tried again later."""
    from engine.domain.errors import TribunalError

    try:
        if engine.trading.uses_exchange:
            run_maintenance(engine, send=True)
        else:
            for proposal in engine.trading.recover():
                warn(say_of_all("proposal_now", id=proposal.id, state=term(proposal.state), why=in_words(proposal.why)))
        for warning in engine.trading.warnings():
            warn(say_of_all("warning", text=in_words(warning)))
    except TribunalError as problem:
        warn(say("unrecovered", problem=in_words(problem)))


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
        "lifted": [each.model_dump(mode="json") | {"lock": in_words(each.lock), "why": in_words(each.why)} for each in proposal.lifted],
        "order_ids": list(proposal.order_ids),
        "broker": basis.place.broker,
        "account": basis.account,
        "snapshot_hash": basis.snapshot_hash,
        "changed_at": proposal.changed_at.isoformat(),
        "changed_by": proposal.changed_by,
        "why": in_words(proposal.why) or None,
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

    plan, basis, state = proposal.plan, proposal.basis, term(state_of_proposal(proposal, halted=halted)).replace("_", " ")
    begins = f"{proposal.id}  {padded(state, 13)}  {basis.symbol:<16}  "
    if plan.protects:
        moved = [(name, level) for name, level in (("stop", plan.stop), ("target", plan.target)) if level is not None]
        levels = say("comma").join(say("level", name=term(name), level=f"{level:f}") for name, level in moved)
        return begins + say("levels_of_position", levels=levels) + _why(proposal)
    order = say("order", side=term(plan.side), size=f"{plan.amount:f}")
    if plan.leverage:
        order += say("at_leverage", leverage=plan.leverage)
    if plan.stop is not None and plan.target is not None:
        order += say("levels", stop=f"{plan.stop:f}", target=f"{plan.target:f}")
    return begins + say("proposed", action=term(basis.action.value), order=order) + _why(proposal)


def _why(proposal: "Proposal") -> str:
    return f"  {in_words(proposal.why)}" if proposal.why else ""


def _position_line(held: "HeldPosition") -> str:
    position = held.position
    warning = "" if held.is_protected else "  " + say_of_all("no_stop")
    ours = "" if not held.is_shared else say("ours", size=f"{held.ours:f}") if held.ours else say("not_ours")
    size = say("held_at", size=f"{position.size:f}", ours=ours, price=f"{position.entry_price:f}", money=held.money)
    return f"{position.symbol:<16}  {padded(term(position.side), 5)}  {size}  {_progress(held)}  {held.account}{warning}"


def _progress(held: "HeldPosition") -> str:
    """Return `price -0.02 %, result -6.26 USDT (-0.22 R) after costs`, or why it could not be measured."""
    profit = held.facts.get("profit_pct")
    if profit is None:
        return in_words(held.why)
    in_r = say("in_r", r=f"{held.in_r:+.2f}") if held.in_r is not None else ""
    result = say("result", result=f"{held.result:+.2f}", money=held.money, in_r=in_r) if held.result is not None else ""
    still = say("market_ended", at=f"{held.at:%Y-%m-%d %H:%M}") if held.stands_still and held.at is not None else ""
    return say("price_moved", percent=f"{profit:+.2f}") + result + still
