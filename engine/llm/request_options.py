"""What is sent to one model of one endpoint: messages and options.

They begin with what most endpoints take. What an endpoint refuses is learnt from its words: an option is left out, has another name or
another form; a system message begins the user's. What has been learnt holds for all later calls (`learnt_options.py`). No I/O but that.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from langchain_core.messages import BaseMessage
from pydantic import JsonValue

from engine.domain.text.reason import Reason
from engine.llm.chat import CARRIED
from engine.llm.history import messages_of
from engine.llm.learnt_options import AnswerForm, BoundName, Learnt, LearntOptions
from engine.llm.protocol import AnswerSchema, ModelCall, Tool


@dataclass(frozen=True)
class Sent:
    """A request. options: by the protocol's names; `tools` as the protocol writes them."""

    messages: list[BaseMessage]
    options: Mapping[str, Any]

    @property
    def bound(self) -> BoundName | None:
        """The name under which it bounds the answer; None when it does not."""
        return next((name for name in _BOUNDS if name in self.options), None)


_FORMS: Final[tuple[AnswerForm, ...]] = ("response_format", "tool", "text")
"""How an answer is held to a schema, the surest way first."""
_BOUNDS: Final[tuple[BoundName, BoundName]] = ("max_tokens", "max_completion_tokens")
_KNOWS_ONLY_THE_NEW_NAME: Final = ("api.openai.com",)
_REFUSES: Final = (
    r"(?:not (?:be )?(?:support|allow|permit|enabled|available)\w*|(?:isn't|doesn't|don't) support\w*|unsupported|unrecogni[sz]ed|unknown"
    r"|unexpected|forbidden|takes? no\b|no (?:endpoints|models?) found|requires? --|invalid (?:parameter|argument|field)|must be verified)"
)
_ABOUT_FORM: Final = {
    "response_format": re.compile(r"response[ _]?format|json[ _]?schema|structured[ _-]?output|guided[ _]|\bgrammar\b", re.IGNORECASE),
    "tool": re.compile(r"\btools?\b|\btool[ _](?:calls?|choice|use)|\bfunctions?\b", re.IGNORECASE),
}


def _about(what: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{what}).{{0,80}}?{_REFUSES}|{_REFUSES}.{{0,80}}?(?:{what})", re.IGNORECASE | re.DOTALL)


_ABOUT_TOOLS: Final = _about(r"\btools?\b|\btool[ _-](?:calls?|calling|choice|use)\b|\bfunction[ _-]call(?:s|ing)?\b|\bfunctions\b")
_ABOUT_SYSTEM: Final = re.compile(
    _about(r"\bsystem[ _](?:role|message|prompt|instruction)s?\b|\brole\b\W{0,8}system\b|developer instructions?").pattern
    + r"|roles must alternate",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT_STREAM: Final = _about(r"\bstream(?:ing|ed)?\b(?!_options)")
_ABOUT_VALUE: Final = re.compile(
    r"too (?:large|high|big|long|many|small|low)|at (?:most|least)|maximum|exceed|greater|less than|range|context (?:length|window)",
    re.IGNORECASE,
)
_ABOUT_NAME: Final = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|forbidden|deprecated|instead|no longer"
    r"|does not (?:accept|take|exist)|invalid (?:parameter|argument|field)",
    re.IGNORECASE,
)
_BACK: Final = re.compile(r"must be (?:passed|sent|provided)|missing|required", re.IGNORECASE)


class RequestOptions:
    """What is sent to one model. address: the endpoint's, where a well-known one is known to want one name only. extra: options of the
    installation that go along with every call."""

    def __init__(self, address: str, model: str, store: LearntOptions | None = None, extra: Mapping[str, JsonValue] | None = None) -> None:
        self._address, self._model, self._extra = address, model, dict(extra or {})
        self._store = store or LearntOptions()
        self._bound = _BOUNDS[_host(address) in _KNOWS_ONLY_THE_NEW_NAME]
        self._refused_bounds: set[str] = set()

    @property
    def learnt(self) -> Learnt:
        """What is known of the model."""
        return self._store.of(self._address, self._model, self._bound)

    def forget(self) -> None:
        """Learn anew what the model takes."""
        self._store.forget(self._address, self._model)

    def takes_tools(self) -> bool:
        """Return whether tools may be offered, as far as is known."""
        return "tools" not in self.learnt.left_out

    def of(self, call: ModelCall) -> Sent:
        """Return the request of one call."""
        known = self.learnt
        messages = messages_of(call, system="system" not in known.left_out, carried="carried" not in known.left_out)
        body: dict[str, Any] = {"stream": "stream" not in known.left_out}
        if body["stream"]:
            body["stream_options"] = {"include_usage": True}
        if call.temperature is not None and not known.thinks:
            body["temperature"] = call.temperature
        if call.effort:
            body["reasoning_effort"] = call.effort
        body |= self._extra
        if call.max_tokens is not None:
            body[known.bound] = call.max_tokens
        tools = list(call.tools)
        if call.answer_schema is not None and known.form == "response_format":
            body["response_format"] = _response_format(call.answer_schema)
        elif call.answer_schema is not None and known.form == "tool" and self.takes_tools():
            tools.append(call.answer_schema.as_tool())
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if call.tools and call.tool_choice == "none":
            body["tool_choice"] = "none"
        return Sent(messages, {key: value for key, value in body.items() if key == "stream" or key not in known.left_out})

    def note_thoughts(self, *, begun: bool) -> None:
        """Take note that the model thinks aloud; begun: from the first word on, without saying so. Such models repeat themselves at a low
        temperature, so none is sent to them."""
        known = self.learnt
        if not known.thinks or (begun and not known.begins_thinking):
            known.thinks, known.begins_thinking = True, known.begins_thinking or begun
            self._store.keep()

    def learn(self, refusal: str, sent: Sent, call: ModelCall, *, of_options: bool) -> str | None:
        """Change the options by the message with which an endpoint refused a body. of_options: whether its status speaks of single options
        at all, not of forms only. Returns what was changed, in words; None when the message says nothing about them."""
        lesson = self._learn_form(refusal, sent, call) or self._learn_shape(refusal, sent, call)
        if lesson is None and of_options:
            lesson = self._learn_option(refusal, sent) or self._learn_bound(refusal, sent)
        if lesson is not None:
            self._store.keep()
        return lesson

    def _leave_out(self, name: str, words: str) -> str:
        self.learnt.left_out |= {name}
        return words

    def _learn_form(self, refusal: str, sent: Sent, call: ModelCall) -> str | None:
        """Take the next way to hold answers to a schema."""
        if call.answer_schema is None:
            return None
        form: AnswerForm = "response_format" if "response_format" in sent.options else "tool"
        own = [call.answer_schema.name] == [each["function"]["name"] for each in sent.options.get("tools", ())]
        if (form == "tool" and not own) or _ABOUT_FORM[form].search(refusal) is None:
            return None
        self.learnt.form = _FORMS[max(_FORMS.index(self.learnt.form), _FORMS.index(form) + 1)]
        what = "response_format" if form == "response_format" else "tools"
        return Reason("model_takes_no", what=what, value="with a tool" if self.learnt.form == "tool" else "for text")

    def _learn_shape(self, refusal: str, sent: Sent, call: ModelCall) -> str | None:
        """Leave out tools, the system message, or streaming."""
        if "tool_choice" in sent.options and "tool_choice" in refusal:
            return self._leave_out("tool_choice", "the model takes no tool_choice: asking again without it")
        if call.tools and not call.messages and _ABOUT_TOOLS.search(refusal):
            return self._leave_out("tools", Reason("model_takes_no_tools_asking_again_without"))
        if sent.messages[0].type == "system" and not call.messages and _ABOUT_SYSTEM.search(refusal):
            return self._leave_out("system", Reason("model_takes_no_system_message"))
        if sent.options["stream"] and "stream_options" not in refusal and _ABOUT_STREAM.search(refusal):
            return self._leave_out("stream", Reason("model_does_not_stream"))
        return None

    def _learn_option(self, refusal: str, sent: Sent) -> str | None:
        """Leave out an option that the message names."""
        named = ["temperature", "stream_options", "reasoning_effort", *self._extra]
        for name in named:
            if name in sent.options and any(word in refusal for word in _names_of(name, self._extra.get(name))):
                return self._leave_out(name, Reason("model_takes_no_asking_again_without_it", carried=name))
        carried = [name for name in CARRIED if name in refusal and any(name in message.additional_kwargs for message in sent.messages)]
        if carried and not _BACK.search(refusal):
            return self._leave_out("carried", Reason("model_takes_no_asking_again_without_it", carried=carried[0]))
        return None

    def _learn_bound(self, refusal: str, sent: Sent) -> str | None:
        bound = sent.bound
        if bound is None or bound not in refusal or (_ABOUT_VALUE.search(refusal) and not _ABOUT_NAME.search(refusal)):
            return None
        self._refused_bounds.add(bound)
        other = _BOUNDS[bound == _BOUNDS[0]]
        if other in self._refused_bounds:
            return None
        self.learnt.bound = other
        return Reason("model_takes_no_asking_again_with", bound=bound, other=other)


def _names_of(name: str, value: JsonValue) -> list[str]:
    """Return the words by which an endpoint may call an option: its name, and those of its parts."""
    return [name, *value] if isinstance(value, dict) else [name]


def _response_format(wanted: AnswerSchema) -> dict[str, Any]:
    """Return a schema as the protocol writes it. Not strict: strict ones allow no object with names of its own, as arguments are."""
    return {"type": "json_schema", "json_schema": {"name": wanted.name, "schema": dict(wanted.schema), "strict": False}}


def _tool(tool: Tool) -> dict[str, object]:
    """Return a tool as the protocol writes it."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
