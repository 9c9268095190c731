"""`research "QUESTION"`: search every source, and print an answer that cites them."""

import argparse
from contextlib import ExitStack, closing
from typing import Any

from engine.cli.events_file import EventsFile
from engine.cli.following import follow
from engine.cli.terminal import print_json, print_line, warn


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    research = commands.add_parser(
        "research", help="answer a question out of sources", description="Search, read and answer; print the answer with its sources."
    )
    research.set_defaults(run=run)
    research.add_argument("question", metavar="QUESTION", help="what you want to know, in English or Chinese")
    add = research.add_argument
    add("--sources", metavar="LIST", help="only these: wikipedia,openalex,semantic_scholar,tavily,sec_edgar,akshare,library,journal,market")
    add("--library", metavar="DIR", help="folder of PDF, HTML, Markdown and text (default: TRIBUNAL_LIBRARY_DIR)")
    add("--no-download", action="store_true", dest="no_download", help="do not fetch the documents that are kept")
    add("--at", metavar="TIME", help="the clock, ISO 8601: nothing that is dated later is used (default: now)")
    add("--symbol", metavar="SYMBOL", help="what it is about: BTC/USDT:USDT is measured too, past decisions are read")
    add("--feed", choices=("simulated", "recorded", "live"), help="where facts of the symbol come from (default: TRIBUNAL_FEED)")
    add("--data", metavar="FOLDER", help="folder of recorded candles; means --feed recorded (default: TRIBUNAL_DATA_DIR)")
    add("--tool-calls", type=int, metavar="N", dest="tool_calls", help="tools the agent may call before it searches, 0-8 (default: 8)")
    add("--model", metavar="NAME", help="a model of your endpoint, or 'scripted' (default: TRIBUNAL_MODEL)")
    add("--language", choices=("en", "zh"), help="of prompts and texts (default: TRIBUNAL_LANGUAGE)")
    add("--lies", type=float, metavar="R", help="share of false values the scripted model states, 0.0-1.0 (default: 0)")
    add("--chaos", metavar="ROLE:KIND", help="plant one false number in the answer of any model (research_agent:value)")
    add("--seed", type=int, metavar="N", help="of the scripted model and the simulated market (default: 0)")
    add("--events", metavar="FILE", help="write the run's events there, JSON lines")
    add("--json", action="store_true", help="print the whole result as JSON")


def run(options: argparse.Namespace) -> int:
    """Answer once; returns the exit code: 1 where no source, library or journal gave anything. Raises a TribunalError with one line when
    there is no result."""
    from engine.api import Engine

    with ExitStack() as stack:
        events = stack.enter_context(closing(EventsFile(options.events))) if options.events is not None else None
        engine = stack.enter_context(closing(Engine()))
        request = engine.research.request(
            options.question,
            symbol=options.symbol,
            at=options.at,
            sources=options.sources,
            library=options.library,
            download=False if options.no_download else None,
            max_optional_calls=options.tool_calls,
            feed=options.feed,
            data_dir=options.data,
            model=options.model,
            language=options.language,
            lies=options.lies,
            seed=options.seed,
            chaos=options.chaos,
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
        why = "; ".join(f"{source}: {reason}" for source, reason in state["failed_sources"].items())
        warn(f"error: no source, library or journal gave anything{f' ({why})' if why else ''}")
        return 1
    return 0


def research_sentence(state: dict[str, Any]) -> str:
    """Return a run of research in one line."""
    return " ".join(research_lines(state)[:2])


def research_lines(state: dict[str, Any]) -> list[str]:
    """Return a run of research for a person: its answer, what is wrong with it, its sources."""
    lines = [state["answer"] or "-", f"confidence {state['confidence']:.2f}, {state['total_papers']} documents"]
    wrong = [each["text"] for each in state["statements"] if each["status"] == "unsupported"]
    lines += [f"not supported: {text}" for text in wrong]
    cited = {number for each in state["statements"] for number in each["citations"]}
    for n, paper in enumerate(state["top_papers"], 1):
        if n in cited:
            lines.append(f"[{n}] {paper['title']} ({paper['source']}, {paper['published_date'] or 'no date'}) {paper['url']}")
    lines += [f"{source} failed: {reason}" for source, reason in state["failed_sources"].items()]
    return lines if state["is_valid"] else [*lines, f"(safe outcome: {'; '.join(state['errors'])})"]
