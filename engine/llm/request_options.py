"""The options of a request that one model of one endpoint takes: which of the optional ones, and under which name the bound of an answer.

They begin with what most endpoints take and are learnt from refusals; what has been learnt holds for all later calls. No I/O.
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from engine.llm.protocol import ModelCall

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

    def of(self, call: ModelCall) -> dict[str, Any]:
        """Return the options of one call, as keyword arguments of langchain's ChatOpenAI."""
        options: dict[str, Any] = {}
        if call.temperature is not None and "temperature" not in self._left_out:
            options["temperature"] = call.temperature
        if "stream_options" in self._left_out:
            options["stream_usage"] = False
        if call.max_tokens is not None and self._bound == "max_tokens":
            options["extra_body"] = {"max_tokens": call.max_tokens}  # as an option of its own it would be given the other name
        elif call.max_tokens is not None:
            options["max_completion_tokens"] = call.max_tokens
        return options

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


def bound_in(sent: Mapping[str, Any]) -> str | None:
    """Return the name under which the options of a call bound its answer; None when they do not."""
    return next((name for name in _BOUNDS if name in sent or name in sent.get("extra_body", ())), None)


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
