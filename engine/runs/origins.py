"""Requests made from earlier runs: forked from a node, or played again. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from engine.domain.errors import BadInput
from engine.domain.roles import DEBATE_SIDES, side_of
from engine.domain.run import DecideRequest, Origin, RunRecord
from engine.flows.decision.forking import asked_again

RECORDED = "recorded:"


def forked(parent: RunRecord, node: str, analysts: Sequence[str], changes: Mapping[str, object]) -> DecideRequest:
    """The request of a run that begins at `node` of another; with `fresh`, on the market as it is now, and proposed again. Raises
    BadInput for a node or role that there is not."""
    asked_again(node, analysts)
    texts = {side_of(role): text for role, text in _texts(changes.get("texts")).items()}
    known = (*analysts, *DEBATE_SIDES, "executor")
    for side, text in texts.items():
        if side not in known:
            raise BadInput(f"role {side!r} is not known; roles are {', '.join(known)}")
        if not text.strip():
            raise BadInput(f"the text of {side} is empty")
    changed = {key: value for key in ("model", "language") if (value := changes.get(key)) is not None}
    fresh = bool(changes.get("fresh"))
    origin = Origin(run_id=parent.run_id, from_node=node, texts=texts, fresh=fresh)
    return _made(parent, changed | {"origin": origin.model_dump(), "propose": fresh})


def replayed(parent: RunRecord, risk: object = None) -> DecideRequest:
    """The request of a run that gives every recorded answer again."""
    changed: dict[str, Any] = {} if risk is None else {"risk": risk}
    return _made(parent, changed | {"origin": Origin(run_id=parent.run_id).model_dump(), "propose": False})


def _texts(given: object) -> Mapping[str, str]:
    return {str(role): str(text) for role, text in given.items()} if isinstance(given, Mapping) else {}


def _made(parent: RunRecord, changes: Mapping[str, Any]) -> DecideRequest:
    try:
        return DecideRequest.model_validate({**parent.request.model_dump(), **changes})
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise BadInput(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
