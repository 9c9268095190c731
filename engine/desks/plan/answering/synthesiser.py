"""The synthesiser: answers the question of a plan out of its results. Without a usable answer of the model the rules answer, and say so."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from engine.agents.access import ModelAccess
from engine.agents.ask import NoAnswer, Question, ask
from engine.agents.stated_headline import take_stated
from engine.agents.watch import watch
from engine.desks.plan.answering.by_rule import answer_by_rule, clauses_of
from engine.desks.plan.answering.measured import StayedResult, results_text
from engine.desks.plan.answering.synthesis import Synthesis, Verdict
from engine.desks.plan.stages import SYNTHESISER
from engine.desks.plan.words import say
from engine.domain.events import NodeFinished
from engine.domain.plan.results import FactorExecutionResult
from engine.domain.text.language import Language
from engine.domain.text.reason import Reason
from engine.domain.text.visible import one_line, shortened
from engine.llm.blocks import closing_block, read_block, visible
from engine.llm.values import Unreadable, confidence
from engine.prompts.render import quoted

STAGE: Final = "answer"
SCRIPTED: Final = "scripted"
_KEYS: Final = ("verdict", "confidence")
_VERDICTS: Final[tuple[Verdict, ...]] = ("yes", "no", "partly", "unknown", "open")
_BEGINS: Final[tuple[tuple[re.Pattern[str], Verdict], ...]] = (
    (re.compile(r"(?:cannot|can[’']t|unknown|unclear|it is not (?:known|clear)|not enough)\b|无法|不能|未知|尚不清楚", re.I), "unknown"),
    (re.compile(r"(?:partly|partially|mixed|in part|yes and no)\b|部分|一半", re.I), "partly"),
    (re.compile(r"yes\b|是[^否]|对[，。：,:]|有[，。：,:]", re.I), "yes"),
    (re.compile(r"no\b|not\b|否|不|没", re.I), "no"),
)
_QUESTION: Final = re.compile(r"^[^?？\n]{0,400}[?？]\s*")
_DRESS: Final = re.compile(r"^[\s*_#>\"“'：:-]+")
_LONGEST: Final = 200


def _asked(question: str, at: str, results: Sequence[StayedResult], factors: Sequence[FactorExecutionResult], language: Language) -> str:
    """Return what the synthesiser reads beside its role."""
    lost = [(f"{factor.name}/{each.id}", each.error or "") for factor in factors for each in factor.task_results if each.kind == "skip"]
    missing = "\n".join(f"{one_line(name)}: {shortened(one_line(why), _LONGEST)}" for name, why in lost)
    return say(
        "synthesiser.ask",
        language,
        question=quoted("asker", question),
        at=at,
        results=results_text(results),
        lost=quoted("tool", missing) if missing else say("synthesiser.nothing_lost", language),
    )


async def synthesise(
    access: ModelAccess, question: str, at: str, results: Sequence[StayedResult], factors: Sequence[FactorExecutionResult]
) -> Synthesis:
    """Return the answer, of the model where it gives a usable one; without results none is asked. at: the instant of the plan, as text."""
    by_rule = answer_by_rule(question, results)
    if not results:
        return by_rule
    language = access.language
    asked = Question(SYNTHESISER, say("synthesiser.system", language), _asked(question, at, results, factors, language))
    with watch(access.emit, SYNTHESISER, STAGE) as watched:
        try:
            spoken = await ask(access, asked, partial(read_synthesis, question=question, language=language))
        except NoAnswer as gone:
            watched.data = NodeFinished(usage=gone.usage)
            watched.failed(str(gone), "safe_action")
            return replace(by_rule, reason=str(gone))
        watched.data = NodeFinished(attempt=spoken.attempt, usage=spoken.usage, result={"verdict": spoken.read.verdict})
    read = spoken.read
    return replace(read, by="script" if spoken.usage.model == SCRIPTED else "model")


def read_synthesis(text: str, question: str, language: Language) -> Synthesis:
    """Return what a model answered, without its closing block. Raises Unreadable for an answer without words, for one without a
    confidence that can be read, and for one that does not begin with a verdict where the question asks for yes or no."""
    text, named = take_stated(text)
    block = closing_block(text, _KEYS)
    words = visible(f"{text[: block[0]].rstrip()}\n{text[block[1] :].strip()}" if block is not None else text).strip()
    if not words:
        raise Unreadable(Reason("answer_has_no_words_before_its_closing"))
    stated = read_block(text, _KEYS)
    if "confidence" not in stated:
        raise Unreadable(Reason("not_found_answer_needs_line_with_one", key="confidence"))
    sure = confidence(stated["confidence"]) / 100
    word = stated.get("verdict", "").strip(" *`.'\"").lower()
    verdict: Verdict | None = next((each for each in _VERDICTS if each == word), "open")
    if clauses_of(question):
        verdict = verdict_at(words)
    if verdict is None:
        raise Unreadable(say("synthesiser.no_verdict", language))
    return Synthesis(words, verdict, sure, "model", **named)


def verdict_at(words: str) -> Verdict | None:
    """Return the verdict that an answer begins with, None where it begins with none. The question may be repeated before it."""
    begin = _DRESS.sub("", _QUESTION.sub("", words.strip(), count=1))
    return next((verdict for pattern, verdict in _BEGINS if pattern.match(begin)), None)
