"""The options of a request that one model of one endpoint takes: which of the optional ones, under which name the bound of an answer, and
how an answer is held to a schema: by `response_format`, else as the arguments of a tool, else by the words of the prompt alone.

They begin with what most endpoints take and are learnt from refusals; what has been learnt holds for all later calls. No I/O.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from engine.llm.protocol import AnswerSchema, ModelCall, Tool

AnswerForm = Literal["response_format", "tool", "text"]
_FORMS: Final[tuple[AnswerForm, ...]] = ("response_format", "tool", "text")
"""How an answer is held to a schema, the surest way first."""
_ABOUT_FORM: Final = {
    "response_format": re.compile(r"response[ _]?format|json[ _]?schema|structured[ _-]?output|guided[ _]|\bgrammar\b", re.IGNORECASE),
    "tool": re.compile(r"\btools?\b|\btool[ _](?:calls?|choice|use)|\bfunctions?\b", re.IGNORECASE),
}

_BOUNDS = ("max_tokens", "max_completion_tokens")
_KNOWS_ONLY_THE_NEW_NAME = ("api.openai.com",)
_ABOUT_VALUE = re.compile(
    r"too (?:large|high|big|long|many|small|low)|at (?:most|least)|maximum|exceed|greater|less than|range|context (?:length|window)",
    re.IGNORECASE,
)
_ABOUT_NAME = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|forbidden|deprecated|instead|no longer"
    r"|does not (?:accept|take|exist)|invalid (?:parameter|argument|field)",
    re.IGNORECASE,
)


class RequestOptions:
    """What is sent beside the messages. address: the endpoint's, where a well-known one is known to want one name only."""

    def __init__(self, address: str) -> None:
        self._left_out: set[str] = set()
        self._refused: set[str] = set()
        self._bound = _BOUNDS[_host(address) in _KNOWS_ONLY_THE_NEW_NAME]
        self._form = 0

    @property
    def answer_form(self) -> AnswerForm:
        """How answers are held to a schema, as far as is known."""
        return _FORMS[self._form]

    def of(self, call: ModelCall) -> dict[str, Any]:
        """Return the options of one call, as keyword arguments of langchain's ChatOpenAI."""
        options: dict[str, Any] = {}
        if call.temperature is not None and "temperature" not in self._left_out:
            options["temperature"] = call.temperature
        if "stream_options" in self._left_out:
            options["stream_usage"] = False
        body: dict[str, Any] = {}  # as options of their own they would be renamed, or the answer parsed by the client
        if call.max_tokens is not None and self._bound == "max_tokens":
            body["max_tokens"] = call.max_tokens
        elif call.max_tokens is not None:
            options["max_completion_tokens"] = call.max_tokens
        tools = list(call.tools)
        if call.answer_schema is not None and self.answer_form == "response_format":
            body["response_format"] = _response_format(call.answer_schema)
        elif call.answer_schema is not None and self.answer_form == "tool":
            tools.append(call.answer_schema.as_tool())
        if tools:
            options["tools"] = [_tool(tool) for tool in tools]
        return options | ({"extra_body": body} if body else {})

    def learn(self, refusal: str, sent: Mapping[str, Any]) -> str | None:
        """Change the options by the message with which an endpoint refused these ones. Returns what was changed, in words; None when the
        message says nothing about them."""
        for name, was_sent in (("temperature", "temperature" in sent), ("stream_options", "stream_usage" not in sent)):
            if was_sent and name in refusal:
                self._left_out.add(name)
                return f"the model takes no {name}: asking again without it"
        bound = bound_in(sent)
        if bound is None or bound not in refusal or (_ABOUT_VALUE.search(refusal) and not _ABOUT_NAME.search(refusal)):
            return None
        self._refused.add(bound)
        other = _BOUNDS[bound == _BOUNDS[0]]
        if other in self._refused:
            return None
        self._bound = other
        return f"the model takes no {bound}: asking again with {other}"

    def learn_form(self, refusal: str, sent: Mapping[str, Any], call: ModelCall) -> str | None:
        """Take the next way to hold answers to a schema where an endpoint's message refuses the one that was sent. Returns what was
        changed, in words; None for a call without a schema, and for a message that says nothing about it."""
        if call.answer_schema is None:
            return None
        form: AnswerForm = "response_format" if "response_format" in sent.get("extra_body", ()) else "tool"
        own = [call.answer_schema.name] == [each["function"]["name"] for each in sent.get("tools", ())]
        if (form == "tool" and not own) or _ABOUT_FORM[form].search(refusal) is None:
            return None
        self._form = max(self._form, _FORMS.index(form) + 1)
        what = "response_format" if form == "response_format" else "tools"
        return f"the model takes no {what}: asking again {'with a tool' if self.answer_form == 'tool' else 'for text'}"


def bound_in(sent: Mapping[str, Any]) -> str | None:
    """Return the name under which the options of a call bound its answer; None when they do not."""
    return next((name for name in _BOUNDS if name in sent or name in sent.get("extra_body", ())), None)


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
