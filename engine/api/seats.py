"""Who speaks where, in any flow: what pages draw roles and steps from, for runs of today and of earlier versions alike."""

from collections.abc import Mapping
from functools import cache

from engine.bootstrap.flows import FLOWS
from engine.domain.roles import Role
from engine.flows.protocol import Seat


def seats_of(flow: str) -> Mapping[str, Seat]:
    """Return node -> its seat, in speaking order; empty for a flow that is not known here."""
    return {seat.node: seat for seat in FLOWS[flow].seats()} if flow in FLOWS else {}


def role_of(node: str) -> Role:
    """Return who speaks in a node of whatever flow: `position_bull` -> `bull`. A node that nobody knows (of an earlier version, or one
    that is code) has its own name. A node's name means one role in all flows."""
    return _roles(tuple(FLOWS)).get(node, node)


@cache
def _roles(flows: tuple[str, ...]) -> Mapping[str, Role]:
    return {node: seat.role for flow in flows for node, seat in seats_of(flow).items()}
