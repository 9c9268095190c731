"""`research "QUESTION"`: search every source, and print an answer that cites them."""

import argparse
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

from engine.shell.asked_runs import add_run_options, asked_of
from engine.shell.command import add_command
from engine.shell.events_file import EventsFile
from engine.shell.following import follow
from engine.shell.terminal import in_words, listed, print_json, print_line, warn
from engine.shell.words import ShellWords

say: Final = ShellWords(Path(__file__).parent, "command")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    research = add_command(commands, "research", say)
    research.set_defaults(run=run)
    research.add_argument("question", metavar="QUESTION", help=say("question"))
    add_run_options(research)
    add = research.add_argument
    add("--sources", metavar="LIST", help=say("sources"))
    add("--library", metavar="DIR", help=say("library"))
    add("--no-download", action="store_true", dest="no_download", help=say("no_download"))
    add("--at", metavar="TIME", help=say("at"))
    add("--symbol", metavar="SYMBOL", help=say("symbol"))
    add("--tool-calls", type=int, metavar="N", dest="tool_calls", help=say("tool_calls"))


def run(options: argparse.Namespace) -> int:
    """Answer once; returns the exit code: 1 where no source, library or journal gave anything. Raises a TribunalError with one line when
    there is no result."""
    with ExitStack() as stack:
        events = stack.enter_context(closing(EventsFile(options.events))) if options.events is not None else None
        engine = stack.enter_context(closing(options.open_engine()))
        request = engine.research.request(
            options.question,
            download=False if options.no_download else None,
            max_optional_calls=options.tool_calls,
            **asked_of(options, "symbol", "at", "sources", "library"),
        )
        run_id = engine.start(request)
        list(follow(engine, [run_id], events))
        state = engine.wait(run_id).result
        assert state is not None  # a finished run has a state
        for line in [] if options.json else research_lines(state):
            print_line(line)
        if options.json:
            print_json(state)
    if not state["statistics"]["searched"]:
        why = listed(say("source_why", source=source, why=reason) for source, reason in _failed(state))
        warn(say("nothing_why", why=why) if why else say("nothing"))
        return 1
    return 0


def sentence(state: dict[str, Any]) -> str:
    """Return a run of research in one line."""
    return " ".join(research_lines(state)[:2])


def research_lines(state: dict[str, Any]) -> list[str]:
    """Return a run of research for a person: its answer, what is wrong with it, its sources."""
    lines = [state["answer"] or "-", say("confidence", confidence=f"{state['confidence']:.2f}", n=state["total_papers"])]
    wrong = [each["text"] for each in state["statements"] if each["status"] == "unsupported"]
    lines += [say("unsupported", text=text) for text in wrong]
    cited = {number for each in state["statements"] for number in each["citations"]}
    for n, paper in enumerate(state["top_papers"], 1):
        if n in cited:
            about = {name: paper[name] for name in ("title", "source", "url")}
            lines.append(say("cited", n=n, date=paper["published_date"] or say("no_date"), **about))
    lines += [say("failed", source=source, why=reason) for source, reason in _failed(state)]
    return lines if state["is_valid"] else [*lines, say("safe_outcome", why=listed(_keyed(state, each) for each in state["errors"]))]


def _failed(state: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the sources that failed, each with the reason in the language of the shell."""
    return [(source, in_words(_keyed(state, reason))) for source, reason in state["failed_sources"].items()]


def _keyed(state: dict[str, Any], text: str) -> str:
    from engine.domain.text.reason import keyed

    return keyed(state, text)
