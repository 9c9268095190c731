"""Lies that were told on purpose, and whether grounding caught them. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.agents.recording import planted_values
from engine.domain.events import Event
from engine.domain.roles import DEBATE_SIDES
from engine.flows.decision.paths import GROUNDING_RESULT, PATHS, role_at


def planted_lies(events: Iterable[Event], final: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return `{"role","key","stated","true","caught"}` for every planted value of a run, role by role, in the order each told them.

    caught: a claim of that role about that fact was false when it was said. final: the run's state; a role whose text was never checked (a
    run that ended before) caught nothing.
    """
    checked = [final.get(path.key(GROUNDING_RESULT)) for path in PATHS]
    claims = [claim for result in checked if result for claim in result["claims"]] + list(final.get("executor_claims") or ())
    false = {(role_at(claim["source"]), claim["key"]) for claim in claims if (claim.get("said_verdict") or claim["verdict"]) == "false"}
    order = [*(final.get("reports") or ()), *DEBATE_SIDES, "executor"]  # analysts speak at once: who was first is chance
    lies = [lie.to_json() for lie in planted_values(events)]
    lies.sort(key=lambda lie: order.index(side) if (side := role_at(str(lie["role"]))) in order else len(order))
    return [lie | {"caught": (role_at(str(lie["role"])), lie["key"]) in false} for lie in lies]
