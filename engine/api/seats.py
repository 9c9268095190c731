"""Who speaks where, in any flow: what pages draw roles and steps from, for runs of today and of earlier versions alike."""

from collections.abc import Mapping
from functools import cache

from engine.desks import flows
from engine.domain.roles import Role
from engine.flows.protocol import Seat


def seats_of(flow: str) -> Mapping[str, Seat]:
    """Return node -> its seat, in speaking order; empty for a flow that is not known here."""
    return {seat.node: seat for seat in flows()[flow].seats()} if flow in flows() else {}


def all_seats() -> list[Seat]:
    """Return the seats of every flow, in its order of speaking."""
    return [seat for flow in flows().values() for seat in flow.seats()]


def role_of(node: str) -> Role:
    """Return who speaks in a node of whatever flow: `position_bull` -> `bull`. A node that no one knows (of an earlier version, or one
    that is code) has its own name. A node's name means one role in all flows."""
    return _roles(tuple(flows())).get(node, node)


@cache
def _roles(names: tuple[str, ...]) -> Mapping[str, Role]:
    return {node: seat.role for name in names for node, seat in seats_of(name).items()}
