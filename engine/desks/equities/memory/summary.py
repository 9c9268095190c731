"""A new long-term summary of one analyst: by the model, or by picking sentences where there is none."""

from collections.abc import Sequence

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.watch import watch
from engine.desks.equities.answers import prose, read_words
from engine.desks.equities.context import EquitiesContext
from engine.desks.equities.memory.controller import DatedReport, MemoryController
from engine.desks.equities.prompts import memory_system
from engine.domain.events import NodeFinished
from engine.domain.text.visible import shortened
from engine.grounding.cited.numbers import NumberIndex, numbers_of
from engine.prompts.fit import sentences, shorten
from engine.prompts.render import quoted

ROLE = "memory_summarizer"
STAGE = "memory"
_REPORT_TOKENS, _SUMMARY_TOKENS = 160, 400
"""How much of a report and of a former summary a new summary is made from: its prompt does not grow with history."""
_MOST_LINES = 12


def summary_node(analyst: str) -> str:
    """Return where the summary of an analyst is made."""
    return f"{analyst}_memory"


async def summarise(controller: MemoryController, context: EquitiesContext) -> None:
    """Have the controller's summary made anew. Without a usable answer the former one stays, and the next report tries again."""
    node = summary_node(controller.analyst)
    with watch(context.access.emit, node, STAGE) as watched:
        former, since = controller.sources()
        if context.scripted:
            controller.save_summary(extract(former, since))
            watched.data = NodeFinished(result={"made": "extractive", "reports": len(since)})
            return
        reports = [quoted(f"{each.trade_date} {each.trading_session}", shorten(prose(each.text), _REPORT_TOKENS)) for each in since]
        user = "\n\n".join([quoted("former summary", shorten(former, _SUMMARY_TOKENS)) if former else "(no former summary)", *reports])
        try:
            spoken = await ask(context.access, Question(ROLE, memory_system(context.language), user, node=node), read_words)
        except NoAnswer as lost:
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(str(lost), "abstains")
            return
        said = supported(spoken.text, [former, *(f"{each.trade_date} {each.trading_session}\n{each.text}" for each in since)])
        controller.save_summary(shorten(said, _SUMMARY_TOKENS) or shortened(said, 2000) or extract(former, since))
        made = "model" if said else "extractive"
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"made": made, "reports": len(since)})


def supported(summary: str, sources: Sequence[str]) -> str:
    """Return a summary without the sentences that state a number which none of its sources holds. Pure."""
    held = NumberIndex("\n".join(sources))

    def holds(sentence: str) -> bool:
        return all(held.holds(found.number) for found in numbers_of(sentence))

    lines = (" ".join(filter(holds, sentences(line))) for line in summary.splitlines())
    return "\n".join(line for line in lines if line)


def extract(former: str, since: list[DatedReport]) -> str:
    """Return a summary of picked sentences, a line a report (the first sentence with a figure), newest last, at most twelve. Pure."""
    lines = [line for line in former.splitlines() if line.strip()]
    for report in since:
        line = _line(report)
        if line not in lines:
            lines.append(line)
    return "\n".join(lines[-_MOST_LINES:])


def _line(report: DatedReport) -> str:
    view = f" {report.direction} {report.confidence:g}" if report.direction and report.confidence is not None else ""
    said = sentences(prose(report.text))
    chosen = next((each for each in said if any(sign.isdigit() for sign in each)), said[0] if said else "")
    return f"{report.trade_date} {report.trading_session}{view}: {shortened(chosen, 240)}"
