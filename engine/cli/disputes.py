"""`disputes`: what people say was struck wrongly, as labelled texts.

Without --json: one text a line, JSON lines as `tests/grounding` reads them. With --json: one list with an entry a disputed claim, each
with its labelled text.
"""

import argparse
from typing import TYPE_CHECKING, Any

from engine.cli.command import command
from engine.cli.terminal import print_json, warn

if TYPE_CHECKING:
    from engine.api import DisputedText, Engine
    from engine.domain.dispute import Dispute


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    about = (
        "List the claims that people dispute on a page as labelled texts, one a line: a text, its facts, and its claims with their "
        "verdicts, those disputed `unverifiable`. With --json: one list, an entry a disputed claim."
    )
    disputes = command(commands, "disputes", _disputes, "list disputed claims as labelled texts", about)
    disputes.add_argument("--run", dest="run_id", metavar="RUN_ID", help="of one run only")


def _disputes(engine: "Engine", options: argparse.Namespace) -> None:
    texts, lost = engine.disputes.texts(options.run_id)
    if options.json:
        print_json([_entry(text, dispute) for text in texts for dispute in text.disputes])
    for text in texts if not options.json else ():
        print_json(text.case)
    for run_id in lost:
        warn(f"run {run_id}: disputed claims are left out, because the journal no longer keeps their texts")


def _entry(text: "DisputedText", dispute: "Dispute") -> dict[str, Any]:
    from engine.api import role_of

    claim = dispute.claim.model_dump(mode="json", include={"start", "end", "key", "claimed", "actual"})
    about = {"run_id": dispute.run_id, "role": role_of(dispute.claim.source), "by": dispute.who, "at": dispute.at.isoformat()}
    return {**text.case, **claim, **about, "why": dispute.why}
