"""`disputes`: what people say was struck wrongly, as labelled texts.

Without --json: one text a line, JSON lines as `tests/grounding` reads them. With --json: one list with an entry a disputed claim, each
with its labelled text.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import command
from engine.shell.terminal import print_json, warn
from engine.shell.words import ShellWords

if TYPE_CHECKING:
    from engine.api import DisputedText, Engine
    from engine.domain.dispute import Dispute

say: Final = ShellWords(Path(__file__).parent, "runs")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    disputes = command(commands, "disputes", _disputes, say)
    disputes.add_argument("--run", dest="run_id", metavar="RUN_ID", help=say("of_run"))


def _disputes(engine: "Engine", options: argparse.Namespace) -> None:
    texts, lost = engine.disputes.texts(options.run_id)
    if options.json:
        print_json([_entry(text, dispute) for text in texts for dispute in text.disputes])
    for text in texts if not options.json else ():
        print_json(text.case)
    for run_id in lost:
        warn(say("texts_lost", id=run_id))


def _entry(text: "DisputedText", dispute: "Dispute") -> dict[str, Any]:
    from engine.api import role_of

    claim = dispute.claim.model_dump(mode="json", include={"start", "end", "key", "claimed", "actual"})
    about = {"run_id": dispute.run_id, "role": role_of(dispute.claim.source), "by": dispute.who, "at": dispute.at.isoformat()}
    return {**text.case, **claim, **about, "why": dispute.why}
