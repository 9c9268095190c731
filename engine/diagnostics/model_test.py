"""A test of one model, as the page asks for it: how quickly it reads and writes, whether it keeps the format, what suits it.

    a short question ─> a long one ─> the questions of `check` (`model_probe.py`)

The first two are asked one after the other, so that speed is that of one call. No run and no budget is touched.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.diagnostics.model_probe import KEYS, TEXT, ModelTerms, ProbeListener, advice_for, probe_call, probe_model, reason_of
from engine.diagnostics.probe import Results
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.connection import TEST_STEPS, ModelState, ModelTest
from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.errors import CallFailed, KeyRefused, ModelError, ModelRefused, ModelUnavailable
from engine.llm.blocks import read_block
from engine.llm.calls import Answer, CallPolicy, CallRefused, complete
from engine.llm.protocol import Model
from engine.prompts.tokens import count_tokens

_NOTES: Final = 180
_SUBJECTS: Final = ("the price", "the volume", "the spread", "the order book", "the funding rate")
_STATES: Final = ("near its average", "a little higher than before", "unchanged", "quieter than usual", "within its range of the day")
_LONG: Final = (
    "These are the notes of one trading day.\n\n{notes}\n\nWrite about 100 words on what they say. Then, each on a line of its own:\n\n"
    "[View]\ndirection: NEUTRAL\nconfidence: 50"
)
_SLOWEST_LOCAL: Final = 40.0
"""Tokens written in a second below which a server of this machine is taken to answer one call at a time."""
_PROMPT: Final = 3_500
_ANSWER: Final = 2_400
"""Tokens of the longest question of a desk, and of a long answer with its repair: what a deadline has to leave room for."""
_SHORTEST_DEADLINE_S: Final = 90.0
_CALLS_OF_A_RUN: Final = 20
_LOCAL_BOUND: Final = 800
_THINKING_BOUND: Final = 16_000
_THINKING_DEADLINE_S: Final = 300.0


@dataclass(frozen=True)
class Present:
    """What is so already. local: whether the server is on this machine. context: tokens that it says it reads at once. call_deadline_s,
    run_deadline_s, max_tokens, concurrency: as the settings are."""

    address: str
    local: bool
    context: int | None
    call_deadline_s: float
    run_deadline_s: float
    max_tokens: int
    concurrency: int


async def run_model_test(
    model: Model, terms: ModelTerms, present: Present, words: DiagnosticWords, within_s: float, *, step: Callable[[int], None],
    clock: Callable[[], datetime], called: Callable[[], str],
) -> ModelTest:  # fmt: skip
    """Return what was found; nothing is raised for a model that cannot be used. within_s: seconds for each answer. step: told how many of
    `TEST_STEPS` are over. called: gives the name under which the model answered."""
    policy = CallPolicy(deadline_s=within_s, attempts=1, max_tokens=terms.max_tokens)
    found = ModelTest(model=model.name, address=present.address, state="works", context=present.context, at=clock())
    answers: list[Answer] = []
    try:
        await model.ready()
        for done, question in enumerate((TEXT, long_question())):
            answers.append(await complete(model, probe_call(question, terms), policy, ProbeListener()))
            step(done + 1)
    except ModelError as problem:
        state = _state_of(problem)
        why, advice = reason_of(problem, words, within_s), advice_for(problem, words)
        if answers and state == "not_reached":  # it answers, and is not quick enough for the questions of a desk
            state, why, advice = "useless", words("too_slow", sent=f"{_sent():,}", why=why), words("too_slow_do")
        update = {"state": state, "words": why, "what_to_do": advice, "at": clock(), **(_speed(answers) if answers else {})}
        return found.model_copy(update=update)
    lines = await probe_model(model, terms, words, within_s)
    step(TEST_STEPS)
    measured = found.model_copy(update={**_speed(answers), **_behaviour(answers, lines), "lines": tuple(lines), "at": clock()})
    measured = measured.model_copy(update={"called": _another(called(), model.name)})
    state, why, advice = _judged(measured, words)
    thinks = terms.learnt().thinks
    return measured.model_copy(
        update={"state": state, "words": why, "what_to_do": advice, "settings": settings_that_suit(measured, present, thinks=thinks)}
    )


def long_question() -> str:
    """Return a question about as long as the longest of a desk, in plain sentences, so that its tokens can be estimated."""
    notes = "\n".join(
        f"In minute {at} {_SUBJECTS[at % len(_SUBJECTS)]} was {_STATES[at % len(_STATES)]}, and nobody remarked on it."
        for at in range(1, _NOTES + 1)
    )
    return _LONG.format(notes=notes)


def settings_that_suit(found: ModelTest, present: Present, *, thinks: bool) -> dict[str, str]:
    """Return variables of the environment that suit a model by its test; those that are so already are left out."""
    suited: dict[str, float | int] = {}
    slow = found.tokens_per_s is not None and found.tokens_per_s < _SLOWEST_LOCAL
    if present.local and slow:
        suited["TRIBUNAL_MODEL_CONCURRENCY"] = 1
        suited["TRIBUNAL_MAX_TOKENS"] = _LOCAL_BOUND
    if thinks:
        suited["TRIBUNAL_MAX_TOKENS"] = max(_THINKING_BOUND, present.max_tokens)
    if found.tokens_per_s:
        reading = _PROMPT / found.reads_per_s if found.reads_per_s else 0.0
        answer = min(_ANSWER, int(suited.get("TRIBUNAL_MAX_TOKENS", _ANSWER)))
        call_s = (found.first_word_s or 0.0) + reading + answer / found.tokens_per_s
        call_s = max(_THINKING_DEADLINE_S if thinks else _SHORTEST_DEADLINE_S, _rounded(call_s))
        if call_s > present.call_deadline_s:
            suited["TRIBUNAL_CALL_DEADLINE_S"] = call_s
        if _CALLS_OF_A_RUN * call_s > present.run_deadline_s and call_s > _SHORTEST_DEADLINE_S:
            suited["TRIBUNAL_RUN_DEADLINE_S"] = _CALLS_OF_A_RUN * call_s
    are = {"TRIBUNAL_MODEL_CONCURRENCY": present.concurrency, "TRIBUNAL_MAX_TOKENS": present.max_tokens}
    return {name: f"{value:g}" for name, value in suited.items() if are.get(name) != value}


def _rounded(seconds: float) -> float:
    """Return seconds as a whole number of half minutes, never fewer."""
    return 30.0 * -(-seconds // 30)


def _speed(answers: Sequence[Answer]) -> Mapping[str, object]:
    short = answers[0].usage
    long = answers[1].usage if len(answers) > 1 else None
    first_s = short.first_token_ms / 1000 if short.first_token_ms is not None else None
    written, seconds = 0, 0.0
    for answer in answers:
        written += answer.usage.completion_tokens or count_tokens(answer.text)
        seconds += (answer.usage.duration_ms - (answer.usage.first_token_ms or 0.0)) / 1000
    sent = _sent()
    read = long.prompt_tokens or None if long is not None else None
    first_of_long_s = long.first_token_ms / 1000 if long is not None and long.first_token_ms is not None else None
    later_s = first_of_long_s - first_s if first_of_long_s is not None and first_s is not None else 0.0
    return {
        "first_word_s": first_s,
        "tokens_per_s": round(written / seconds, 1) if seconds > 0 else None,
        "reads_per_s": round((read or sent) / later_s, 1) if later_s > 0.05 else None,
        "read": read,
        "sent": sent,
        "tokens": sum(answer.usage.prompt_tokens + answer.usage.completion_tokens for answer in answers),
        "seconds": sum(answer.usage.duration_ms for answer in answers) / 1000,
    }


def _sent() -> int:
    return count_tokens(long_question())


def _behaviour(answers: Sequence[Answer], lines: Results) -> Mapping[str, object]:
    by_name = {line.name: line for line in lines}
    kept = [set(KEYS) <= read_block(answer.text, KEYS).keys() for answer in answers]
    kept.append(_is_fine(by_name.get("model.structured_output")) is True)
    return {
        "format_kept": sum(kept),
        "format_asked": len(kept),
        "streams": _is_fine(by_name.get("model.streaming")),
        "tools": _is_fine(by_name.get("model.tools")),
        "schema_kept": _is_fine(by_name.get("model.json_schema")),
    }


def _is_fine(line: DiagnosticResult | None) -> bool | None:
    return None if line is None or line.status == "skipped" else line.status == "ok"


def _judged(found: ModelTest, words: DiagnosticWords) -> tuple[ModelState, str, str]:
    """Return whether a model that answered can be used, why not, and what to do."""
    return next(_objections(found, words), ("works", "", ""))


def _objections(found: ModelTest, words: DiagnosticWords) -> Iterator[tuple[ModelState, str, str]]:
    if found.is_cut:
        yield "useless", words("read_a_part", read=f"{found.read:,}", sent=f"{found.sent:,}"), words("read_a_part_do")
    if 2 * found.format_kept < found.format_asked:
        yield "useless", words("format_broken", kept=found.format_kept, of=found.format_asked), words("format_broken_do")


def _another(called: str, name: str) -> str:
    """Return the name a model answered under where it is another one; providers put a date or a path to it."""
    one, other = called.rpartition("/")[2].lower(), name.rpartition("/")[2].lower()
    return "" if not one or one.startswith(other) or other.startswith(one) else called[:200]


def _state_of(problem: ModelError) -> ModelState:
    if isinstance(problem, KeyRefused) or (isinstance(problem, CallRefused) and problem.of_key):
        return "key_refused"
    if isinstance(problem, ModelRefused):
        return "refused"
    if isinstance(problem, ModelUnavailable | CallFailed):
        return "not_reached"
    return "refused"
