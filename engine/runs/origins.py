"""Requests made from earlier runs: forked from a node, or played again. Without I/O."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from engine.domain.errors import BadInput
from engine.domain.run import Origin, RunRecord, RunRequest
from engine.flows.protocol import Flow

RECORDED = "recorded:"


def forked(parent: RunRecord, node: str, flow: Flow, changes: Mapping[str, object]) -> RunRequest:
    """Return the request of a run that begins at `node` of another. changes: `model`, `language`, `texts` (role -> what it says instead),
    `instructions` (node -> what it is asked), `fresh`: on inputs that are read anew, and `remembers` (`Origin`). Raises BadInput for a
    node or role that there is not."""
    texts = changes.get("texts")
    replaced = {str(role): str(text) for role, text in texts.items()} if isinstance(texts, Mapping) else {}
    changed = {key: value for key in ("model", "language", "instructions") if (value := changes.get(key)) is not None}
    flags = {name: bool(changes.get(name)) for name in ("fresh", "remembers")}
    origin = Origin(run_id=parent.run_id, from_node=node, texts=replaced, **flags)
    flow.fork(origin)
    return _made(parent, changed | dict(flow.forked(parent.request, origin)) | {"origin": origin.model_dump()})


def replayed(parent: RunRecord, flow: Flow, changes: Mapping[str, object] | None = None) -> RunRequest:
    """Return the request of a run that gives every recorded answer again. changes: fields of the request that are different. Raises
    BadInput for a field that the request cannot have."""
    origin = Origin(run_id=parent.run_id)
    return _made(parent, {**flow.forked(parent.request, origin), **(changes or {}), "origin": origin.model_dump()})


def _made(parent: RunRecord, changes: Mapping[str, Any]) -> RunRequest:
    try:
        return RunRequest.read({**parent.request.model_dump(), **changes})
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        raise BadInput(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
