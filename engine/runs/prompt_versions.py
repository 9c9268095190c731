"""The versions of the prompts that a run was asked with, as its log says them in `run.started`. Pure.

A node whose answer was taken over from another run was asked with the prompt of that run, and has its version.
"""

from collections.abc import Mapping, Sequence

from engine.domain.events import Event, RunStarted
from engine.domain.run import RunRequest
from engine.flows.protocol import Flow
from engine.prompts.versions import prompts_hash, versions_of
from engine.runs.recall import fork_at


def prompt_versions(flow: Flow, request: RunRequest, parent: Sequence[Event]) -> dict[str, str]:
    """Return node -> the version of its prompt, in a run that begins now; empty for a flow whose prompts have none. parent: the events of
    the run that it is made from, empty without one."""
    versions = versions_of(flow.work().templates(request.language), request.instructions)
    if request.origin is None or not versions:
        return versions
    asked_anew = fork_at(flow, request.origin).again
    taken_over = {node: version for node, version in versions_in(parent).items() if node in versions and node not in asked_anew}
    return versions | taken_over


def versions_in(events: Sequence[Event]) -> Mapping[str, str]:
    """Return the versions that a log says, those of its first beginning; empty where it says none."""
    return next((event.data.prompts for event in events if isinstance(event.data, RunStarted) and event.data.prompts), {})


def hash_field(events: Sequence[Event]) -> dict[str, str]:
    """Return `prompts_hash` of a state, out of the run's log; nothing where the log says no versions."""
    versions = versions_in(events)
    return {"prompts_hash": prompts_hash(versions)} if versions else {}
