"""Whether a model can play its parts: reached, streaming, quick enough, its closing block readable, tools called and their history taken
back, held to a schema, which options it needed, its price known.

Three short questions are asked, at once: for a text with a closing block, for a tool, for an answer of a schema; behind the call of the
tool one more, as a loop ends. No run and no budget is touched; the price of some hundred tokens is.
"""

import asyncio
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue

from engine.agents.tool_loop import assistant_message
from engine.diagnostics.probe import Results, line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult, DiagnosticStatus
from engine.domain.errors import CallFailed, ModelError, ModelUnavailable
from engine.llm.blocks import read_block
from engine.llm.calls import Answer, CallPolicy, complete
from engine.llm.learnt_options import Learnt
from engine.llm.protocol import AnswerSchema, Model, ModelCall, Planted, Tool

SLOW_MS = 10_000.0
KEYS: Final = ("direction", "confidence")
"""Of the closing block that is asked for."""
_TASK = "You check a connection. Answer exactly as you are asked, without any other word."
TEXT: Final = (
    "Write the sentence 'The connection works and every word of this sentence arrives as it is written.' and then, each on a line of its "
    "own:\n\n[View]\ndirection: NEUTRAL\nconfidence: 50"
)
_ASK = "Call the tool latest_price for the symbol BTC/USDT:USDT. Write no text."
_TOOL = Tool(
    "latest_price",
    "Return the latest price of a market.",
    {"type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"]},
)
_ASK_JSON = (
    'Answer with a JSON object, the direction NEUTRAL and the confidence 50: {"direction": "NEUTRAL", "confidence": 50}. Nothing else.'
)
_SCHEMA = AnswerSchema(
    "submit_view",
    "Hands in the view.",
    {
        "type": "object",
        "properties": {"direction": {"type": "string"}, "confidence": {"type": "number"}},
        "required": ["direction", "confidence"],
        "additionalProperties": False,
    },
)
_SAW = "latest_price = 64000\n\nNo more calls: say in one sentence what the price is."
_LINES = ("streaming", "first_token", "structured_output", "tools", "tool_loop", "json_schema", "options")
_NEEDED = ("temperature", "stream_options", "stream", "system", "tools", "tool_choice", "carried")
"""What may be left out, as `option_NAME` says it; another option is one of the installation's own."""


@dataclass(frozen=True)
class ModelTerms:
    """What is asked of a model besides. price_known: whether TRIBUNAL_PRICES names it. cost_is_limited: whether a limit of money needs that
    price. max_tokens: bound of an answer. temperature, effort: as calls of a run have them, None = not sent. own_options: further ones of
    the installation. streamed: whether the last answer came as an event stream; None = nothing came. learnt: what the endpoint refuses and
    takes, as far as is known."""

    price_known: bool
    cost_is_limited: bool
    max_tokens: int
    temperature: float | None
    effort: str | None
    own_options: Collection[str]
    streamed: Callable[[], bool | None]
    learnt: Callable[[], Learnt]


class ProbeListener:
    """Listens to a call; nothing of it is kept."""

    def text(self, piece: str, attempt: int) -> None:
        """See CallListener."""

    def planted(self, planted: Planted) -> None:
        """See CallListener."""

    def retrying(self, attempt: int, reason: str, wait_s: float) -> None:
        """See CallListener."""


async def probe_model(model: Model, terms: ModelTerms, words: DiagnosticWords, within_s: float) -> Results:
    """Return the lines of one model. within_s: seconds for its answers; what has none by then is a line that failed."""
    price = _price(model.name, terms, words)
    policy = CallPolicy(deadline_s=within_s, attempts=1, max_tokens=terms.max_tokens)
    try:
        await model.ready()
        text, form, loop = await asyncio.gather(
            complete(model, probe_call(TEXT, terms), policy, ProbeListener()),
            complete(model, replace(probe_call(_ASK_JSON, terms), answer_schema=_SCHEMA), policy, ProbeListener()),
            _tool_loop(model, terms, policy),
            return_exceptions=True,
        )
        if isinstance(loop, BaseException):
            raise loop
        if isinstance(text, BaseException):
            raise text
    except ModelError as problem:
        failed = line("model.reached", "failed", reason_of(problem, words, within_s), advice_for(problem, words))
        return [failed, *(line(f"model.{name}", "skipped", words("not_asked")) for name in _LINES), price]
    tool, back = loop
    reached = line("model.reached", "ok", words("model_answers", model=model.name))
    rest = (_streaming(terms, words), _first_token(text, words), _structured(text, words), _tools(tool, words), _loop(back, words))
    return [reached, *rest, _by_schema(_answered(form), terms.learnt().form, words), _options(terms, words), price]


def scripted_lines(words: DiagnosticWords) -> Results:
    """Return the lines of the scripted model, of which nothing need be asked."""
    lines = [line("model.reached", "ok", words("model_scripted"), words("model_scripted_do"))]
    return [*lines, *(line(f"model.{name}", "skipped", words("not_for_script")) for name in (*_LINES, "price"))]


def _answered(answer: Answer | BaseException) -> Answer | ModelError:
    """Return an answer, or why it is missing. Raises what is no one's answer."""
    if isinstance(answer, BaseException) and not isinstance(answer, ModelError):
        raise answer
    return answer


async def _tool_loop(model: Model, terms: ModelTerms, policy: CallPolicy) -> tuple[Answer | ModelError, Answer | ModelError | None]:
    """Return the answer that should call a tool, and the one behind what the tool gave; None where nothing was called."""
    began, call = asyncio.get_running_loop().time(), replace(probe_call(_ASK, terms), tools=(_TOOL,))
    try:
        asked = await complete(model, call, policy, ProbeListener())
    except ModelError as problem:
        return problem, None
    if not asked.tool_calls:
        return asked, None
    results: list[dict[str, JsonValue]] = [{"role": "tool", "tool_call_id": each.id, "content": _SAW} for each in asked.tool_calls]
    history = (assistant_message(asked.text, asked.tool_calls, asked.carried), *results)
    left = policy.deadline_s - (asyncio.get_running_loop().time() - began)
    try:
        ended = replace(call, messages=history, tool_choice="none")
        return asked, await complete(model, ended, replace(policy, deadline_s=max(left, 0.1)), ProbeListener())
    except ModelError as problem:
        return asked, problem


def probe_call(user: str, terms: ModelTerms) -> ModelCall:
    """Return a question as the roles of a run ask theirs."""
    return ModelCall("diagnostics", "en", _TASK, user, temperature=terms.temperature, effort=terms.effort)


def _streaming(terms: ModelTerms, words: DiagnosticWords) -> DiagnosticResult:
    if terms.streamed() is False:
        return line("model.streaming", "warning", words("streams_not"), words("streams_not_do"))
    return line("model.streaming", "ok", words("streams"))


def _first_token(answer: Answer, words: DiagnosticWords) -> DiagnosticResult:
    ms = answer.usage.first_token_ms
    if ms is None:
        return line("model.first_token", "warning", words("no_text"), words("no_text_do"))
    detail = words("first_token", seconds=f"{ms / 1000:.2f}", whole=f"{answer.usage.duration_ms / 1000:.2f}")
    return line("model.first_token", "warning", detail, words("slow_do")) if ms > SLOW_MS else line("model.first_token", "ok", detail)


def _structured(answer: Answer, words: DiagnosticWords) -> DiagnosticResult:
    block = read_block(answer.text, KEYS)
    missing = [key for key in KEYS if key not in block]
    if missing:
        return line("model.structured_output", "warning", words("block_unread", keys=", ".join(missing)), words("block_unread_do"))
    return line("model.structured_output", "ok", words("block_read"))


def _tools(answer: Answer | ModelError, words: DiagnosticWords) -> DiagnosticResult:
    if isinstance(answer, ModelError):
        return line("model.tools", "warning", words("tools_refused", why=str(answer)), words("tools_do"))
    named = [call for call in answer.tool_calls if call.name == _TOOL.name]
    if not named:
        return line("model.tools", "warning", words("tools_none"), words("tools_do"))
    try:
        fine = isinstance(json.loads(named[0].arguments), dict)
    except ValueError:
        fine = False
    if not fine:
        return line("model.tools", "warning", words("tools_garbled"), words("tools_do"))
    return line("model.tools", "ok", words("tools_called"))


def _loop(answer: Answer | ModelError | None, words: DiagnosticWords) -> DiagnosticResult:
    """Return whether a loop of calls can end. answer: behind a call and what its tool gave."""
    if answer is None:
        return line("model.tool_loop", "skipped", words("loop_not_begun"))
    if isinstance(answer, ModelError):
        return line("model.tool_loop", "warning", words("loop_refused", why=str(answer)), words("tools_do"))
    if not answer.text.strip():
        return line("model.tool_loop", "warning", words("loop_goes_on"), words("loop_goes_on_do"))
    return line("model.tool_loop", "ok", words("loop_ends"))


def _options(terms: ModelTerms, words: DiagnosticWords) -> DiagnosticResult:
    """Return what the endpoint needed otherwise than most."""
    known = terms.learnt()
    needed = [words(f"option_{name}") for name in _NEEDED if name in known.left_out]
    needed += [words("option_no", name=name) for name in sorted(known.left_out - set(_NEEDED))]
    needed += [words("option_bound")] if known.bound == "max_completion_tokens" else []
    needed += [words(f"option_form_{known.form}")] if known.form != "response_format" else []
    needed += [words("option_begins_thinking")] if known.begins_thinking else [words("option_thinks")] if known.thinks else []
    if not needed:
        return line("model.options", "ok", words("options_usual"))
    dropped = sorted(known.left_out & {"reasoning_effort", *terms.own_options})
    detail = words("options_needed", what="; ".join(needed))
    return line("model.options", "warning", detail, words("options_do")) if dropped else line("model.options", "ok", detail)


def _by_schema(answer: Answer | ModelError, form: str, words: DiagnosticWords) -> DiagnosticResult:
    """Return whether an answer can be held to a schema. form: by which means it was asked for in the end."""
    if isinstance(answer, ModelError):
        return line("model.json_schema", "warning", words("schema_refused", why=str(answer)), words("schema_do"))
    calls = [call.arguments for call in answer.tool_calls if call.name == _SCHEMA.name]
    try:
        found = json.loads(calls[0] if calls else answer.text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not {"direction", "confidence"} <= found.keys():
        return line("model.json_schema", "warning", words(f"schema_not_kept_{form}"), words("schema_do"))
    return line("model.json_schema", "ok", words(f"schema_kept_{form}"))


def _price(name: str, terms: ModelTerms, words: DiagnosticWords) -> DiagnosticResult:
    if terms.price_known:
        return line("model.price", "ok", words("price_known", model=name))
    status: DiagnosticStatus = "failed" if terms.cost_is_limited else "warning"
    return line("model.price", status, words("price_unknown", model=name), words("price_do", model=name))


def reason_of(problem: ModelError, words: DiagnosticWords, within_s: float) -> str:
    """Return why a model gave no answer."""
    if isinstance(problem, CallFailed) and "no complete answer within" in str(problem):
        return words("no_answer", seconds=f"{within_s:g}")
    return str(problem)


def advice_for(problem: ModelError, words: DiagnosticWords) -> str:
    """Return what to do about a model that gave no answer."""
    text = str(problem)
    if "(401)" in text or "(403)" in text or "OPENAI_API_KEY" in text:
        return words("key_do")
    if "(404)" in text:
        return words("model_name_do")
    if "(429)" in text:
        return words("busy_do")
    return words("address_do") if isinstance(problem, ModelUnavailable | CallFailed) else words("failed_do")
