"""`ground [FILE|-] [--explain]`: JSON lines in, JSON lines out: the claims of any text, judged against any facts.

In:  {"id","path","source","text","facts"}; `path` and `source` may be missing. With `path` `equity` the text is read for claims about
     a company, its shares and the account; `entry`, `position` or none: about a market and a position in it.
Out: {"id","claims":[{"start","end","indicator","kind","relation","claimed","actual","verdict",...}],
      "hallucination_score","corrected_text"}, one a line, in order.
A line that cannot be used gives {"id" or null,"error"}; the rest is still done, and the exit code is 1.
With --explain: for people, how each text is understood instead of what is found: the items after the lexer and after every pass that
changed something, what states nothing about now, what was read, and the verdicts.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.domain.text.plain_json import TwiceTheSame, read_json
from engine.shell.command import add_command
from engine.shell.events_file import why
from engine.shell.terminal import in_words, print_json, print_line
from engine.shell.words import ShellWords

if TYPE_CHECKING:
    from engine.domain.claims import Claim

say: Final = ShellWords(Path(__file__).parent, "runs")
_LONGEST_QUOTE = 80
_STEPS = "steps"


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    ground = add_command(commands, "ground", say)
    ground.add_argument("--explain", action="store_true", help=say("explain"))
    ground.set_defaults(run=run)
    ground.add_argument("file", metavar="FILE", nargs="?", default="-", help=say("ground_file"))


def run(options: argparse.Namespace) -> int:
    """Run the command; returns the exit code: 1 when a line could not be used. Raises BadInput when the file cannot be read."""
    failed = False
    for number, line in enumerate(_lines(options.file), 1):
        if line.strip():
            answer = _answer(line, number, _explanation if options.explain else _grounded)
            failed = failed or "error" in answer
            _print(answer)
    return int(failed)


def _lines(path: str) -> Iterator[bytes]:
    from engine.domain.errors import BadInput

    if path == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as file:
            yield from file
    except (OSError, ValueError) as problem:
        raise BadInput(say("file_unread", path=path, problem=why(problem))) from None


def _answer(line: bytes, number: int, work: Callable[[Mapping[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return what `work` makes of the case in a line, or its id and the error."""
    from engine.domain.errors import BadInput

    case: Any = None
    try:
        case = _read(line)
        _checked(case)
        return work(case)
    except BadInput as problem:
        return {"id": _name(case), "error": say("line", n=number, problem=in_words(problem))}
    except Exception as problem:  # a fault of ours costs its own line and no other
        return {"id": _name(case), "error": say("line_fault", n=number, problem=f"{type(problem).__name__}: {problem}")[:200]}


def _grounded(case: Mapping[str, Any]) -> dict[str, Any]:
    from engine.api import ground_text

    grounded = ground_text(case["text"], case["facts"], case.get("source") or "", case.get("path"))
    return {
        "id": case["id"],
        "claims": [_claim(claim) for claim in grounded.claims],
        "hallucination_score": round(grounded.hallucination_score or 0.0, 4),
        "corrected_text": grounded.corrected_text,
    }


def _explanation(case: Mapping[str, Any]) -> dict[str, Any]:
    from engine.api import explain_text

    return {"id": case["id"], _STEPS: explain_text(case["text"], case["facts"], case.get("source") or "", case.get("path"))}


def _print(answer: Mapping[str, Any]) -> None:
    """JSON, but for an explanation: a heading a step, and its lines below it."""
    if _STEPS not in answer:
        print_json(answer)
        return
    print_line(f"=== {answer['id']}")
    for step in answer[_STEPS]:
        print_line(say("step", name=step.name, about=step.about) if step.lines else say("no_step", name=step.name))
        for line in step.lines:
            print_line(f"    {line}")


def _name(case: Any) -> Any:
    """Return the case's id, None where it has none that can be written down (NaN is JSON to some, but not to all)."""
    name = case.get("id") if isinstance(case, dict) else None
    try:
        json.dumps(name, allow_nan=False)
    except ValueError:
        return None
    return name


def _read(line: bytes) -> Any:
    """Return the object in a line. Raises BadInput saying what is wrong with it."""
    from engine.domain.errors import BadInput

    try:
        case = read_json(line.decode("utf-8-sig"))
    except TwiceTheSame as problem:
        raise BadInput(in_words(problem)) from None
    except (ValueError, RecursionError) as problem:
        raise BadInput(say("no_json", problem=str(problem)[:_LONGEST_QUOTE])) from None
    if not isinstance(case, dict):
        raise BadInput(say("no_object"))
    return case


def _checked(case: Mapping[str, Any]) -> None:
    from engine.domain.errors import BadInput

    expected = {
        "text": str,
        "facts": dict,
        "path": str | None,
        "source": str | None,
    }
    if _name(case) is None:
        raise BadInput(say("no_id"))
    for key, kind in expected.items():
        if not isinstance(case.get(key), kind):
            raise BadInput(say("must_be", key=key, kind=say(f"kind_{key}")))


def _claim(claim: "Claim") -> dict[str, Any]:
    place = {"start": claim.start, "end": claim.end, "indicator": claim.key}
    judged = claim.model_dump(mode="json", include={"kind", "relation", "claimed", "actual", "verdict"})
    more = claim.model_dump(mode="json", include={"text", "unit", "deviation", "tolerance", "hedged", "attributed_to", "reason"})
    return {**place, **judged, **more}
