"""summarize: the answer, out of quoted documents, and every sentence of it held to what it cites.

Without a usable answer of the model, sentences of the best documents are the answer, and the run says so; without documents no one is
asked.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.stated_headline import held_against
from engine.agents.watch import watch
from engine.desks.research.answer.confidence import ConfidenceParts, measure_confidence
from engine.desks.research.answer.extract import pick_sentences
from engine.desks.research.answer.headline import answer_and_stated, found_headline
from engine.desks.research.context import ResearchContext
from engine.desks.research.prompts import MISSING_CITATION, answer_system, documents_text, question_text, shown_numbers, shown_text
from engine.desks.research.seats import ROLE
from engine.desks.research.state import ExecutorState, Json
from engine.domain.events import InstructionsSeen, NodeFinished
from engine.domain.research.document import Document
from engine.domain.research.events import AnswerChecked
from engine.domain.text.reason import Reason
from engine.domain.text.visible import shortened
from engine.grounding.cited.sentences import cited
from engine.grounding.cited.statements import check_answer
from engine.llm.values import Unreadable
from engine.prompts.instruction_text import instruction_places

NODE, STAGE = "summarize", "answering"
SCRIPTED = "scripted"
_EXCERPT = 200
_STOPS = ".!?。！？"


async def summarize_node(state: ExecutorState, runtime: Runtime[ResearchContext]) -> Json:
    """Return the answer with its statements and confidence."""
    context = runtime.context
    documents = [Document.model_validate(row) for row in state["downloaded_papers"]]
    with watch(context.access.emit, NODE, STAGE) as watched:
        if not documents:
            watched.failed(_why_nothing(state, context), "safe_action")
            return {"executor_result": _result("", [], ConfidenceParts(0.0, 0.0, 0.0), _why_nothing(state, context))}
        notes = _say_what_was_seen(documents, context)
        error: str | None = None
        stated: dict[str, str] = {}
        try:
            spoken = await ask(context.access, _question(documents, context), _reader(len(documents), context))
            answer, stated = spoken.read
            watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage)
            notes += [Reason("answer_picked_by_script").said_in(context.language)] if spoken.usage.model == SCRIPTED else []
        except NoAnswer as lost:
            answer, error = _extract(documents, context), Reason("answer_picked_from_documents", reason=lost).said_in(context.language)
            watched.data = NodeFinished(usage=lost.usage)
            watched.failed(error, "safe_action")
        statements = check_answer(answer, documents)
        parts = measure_confidence(statements, documents, context.inputs.at.date(), answered=_answered(state))
        rows = [each.model_dump(mode="json") for each in statements]
        headline = found_headline(stated, statements)
        checked = AnswerChecked(statements=tuple(rows), confidence=parts.confidence, confidence_parts=parts.to_json())
        context.access.emit(NODE, checked)
    unsupported = sum(each.status == "unsupported" for each in statements)
    if unsupported:
        notes.append(Reason("sentences_unsupported", count=unsupported, all=len(statements)).said_in(context.language))
    named = {
        "headline": headline.to_json() if headline is not None else None,
        "against": held_against(stated.get("against", ""), documents),
    }
    return {"executor_result": {**_result(answer, rows, parts, error), **named}, "notes": notes}


def _answered(state: ExecutorState) -> float:
    """Return the share of the sources that were asked and answered, 0 to 1; one that was never asked, for want of its key, is left
    out."""
    asked, failed = set(state.get("searches") or ()), set(state.get("failed_sources") or ())
    return round(len(asked - failed) / len(asked), 4) if asked else 1.0


def _result(answer: str, statements: list[Json], parts: ConfidenceParts, error: str | None) -> Json:
    return {
        "answer": answer,
        "statements": statements,
        "confidence": parts.confidence,
        "confidence_parts": parts.to_json(),
        "error": error,
    }


def _why_nothing(state: ExecutorState, context: ResearchContext) -> str:
    found = state["counts"]["merged"]
    return Reason("nothing_near", found=found).said_in(context.language) if found else Reason("nothing_found").said_in(context.language)


def _question(documents: Sequence[Document], context: ResearchContext) -> Question:
    asked = question_text(context.request.question, context.inputs.at, context.language)
    user = f"{asked}\n\n{documents_text(documents, context.language)}"
    return Question(role=ROLE, node=NODE, system=answer_system(context.language), user=user)


def _reader(count: int, context: ResearchContext) -> Any:
    """Return the reader of an answer: words that cite at least one document that there is, and what is stated behind them."""

    def read(text: str) -> tuple[str, dict[str, str]]:
        answer, stated = answer_and_stated(text)
        if not any(1 <= number <= count for number in cited(answer)):
            raise Unreadable(MISSING_CITATION[context.language].format(last=count))
        return answer, stated

    return read


def _extract(documents: Sequence[Document], context: ResearchContext) -> str:
    picked = pick_sentences(context.request.question, [shown_text(each) for each in documents])
    return " ".join(f"{each.text}{'' if each.text[-1] in _STOPS else '.'} [{each.n}]" for each in picked)


def _say_what_was_seen(documents: Sequence[Document], context: ResearchContext) -> list[str]:
    """Emit an event where documents that the model reads hold text like an instruction; return it as a sentence."""
    numbers = shown_numbers(documents)
    texts = [shown_text(documents[n - 1]) for n in numbers]
    parts = [[documents[n - 1].abstract for n in numbers], [documents[n - 1].text for n in numbers]]
    places = sorted({place for part in (texts, *parts) for place in instruction_places(part)})
    if not places:
        return []
    found = [str(numbers[place]) for place in places]
    context.access.emit(NODE, InstructionsSeen(where=tuple(found), excerpt=shortened(texts[places[0]], _EXCERPT)))
    return [Reason("instructions_in_documents", numbers=", ".join(found)).said_in(context.language)]
