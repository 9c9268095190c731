"""What single providers refuse, as they word it: each of these is put around an answer of `LLMServer`, and refuses or passes on.

LLMServer(mistral(lambda body: "the report"))
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from tests.servers.llm import Body, Fault, Plan, status
from tests.servers.tool_calls import calls_of

Answering = Callable[[Body], Plan]


def claude_behind_a_proxy(answer: Answering) -> Answering:
    """LiteLLM before Claude: a history with calls needs the names of its tools."""

    def reply(body: Body) -> Plan:
        if _calls(body) and not body.get("tools"):
            said = "litellm.UnsupportedParamsError: Anthropic doesn't support tool calling without `tools=` param specified."
            return status(400, said)
        return answer(body)

    return reply


def gemini(answer: Answering) -> Answering:
    """Gemini 3: every call is signed, and comes back with its signature. The answer makes calls without one."""

    def reply(body: Body) -> Plan:
        if any(call.get("extra_content", {}).get("google", {}).get("thought_signature") != _signature(call) for call in _calls(body)):
            return status(400, "Function call is missing a thought_signature in functionCall parts. This is required for tools to work.")
        plan = answer(body)
        if isinstance(plan, str) or not plan.calls:
            return plan
        signed = tuple({**call, "extra_content": {"google": {"thought_signature": _signature(call)}}} for call in plan.calls)
        return Fault(text=plan.text, calls=signed, finish=plan.finish)

    return reply


def deepseek_thinking(answer: Answering) -> Answering:
    """DeepSeek while it thinks (a server that thinks two tokens): its thoughts come back with its calls."""

    def reply(body: Body) -> Plan:
        for message in body["messages"]:
            if message.get("tool_calls") and message.get("reasoning_content") != " hm hm":
                return status(400, "The `reasoning_content` in the thinking mode must be passed back to the API.")
            if message["role"] == "assistant" and not message.get("tool_calls") and "reasoning_content" in message:
                return status(400, "The reasoning_content field is not supported in the input messages.")
        return answer(body)

    return reply


def mistral(answer: Answering) -> Answering:
    """Mistral: no user directly behind a tool, and no assistant that says nothing."""

    def reply(body: Body) -> Plan:
        for before, after in pairwise(message["role"] for message in body["messages"]):
            if (before, after) in (("tool", "user"), ("tool", "system"), ("user", "user")):
                return status(400, f"Unexpected role '{after}' after role '{before}'")
        if any(each["role"] == "assistant" and not (each["content"] or each.get("tool_calls")) for each in body["messages"]):
            return status(400, "Assistant message must have either content or tool_calls, but not none.")
        return answer(body)

    return reply


def without_tools(answer: Answering, said: str = "registry.ollama.ai/library/gemma:7b does not support tools") -> Answering:
    """A model that takes no tools, as Ollama says it."""
    return lambda body: status(400, said) if body.get("tools") else answer(body)


def without_system(answer: Answering) -> Answering:
    """Gemma's template behind vLLM."""
    return lambda body: status(400, "System role not supported") if body["messages"][0]["role"] == "system" else answer(body)


def without_streaming(answer: Answering) -> Answering:
    """An endpoint that refuses to stream; a server that is `plain` answers whole then."""
    return lambda body: status(400, "Your organization must be verified to stream this model.") if body["stream"] else answer(body)


def without(answer: Answering, *names: str) -> Answering:
    """An endpoint that refuses single options by name."""

    def reply(body: Body) -> Plan:
        refused = next((name for name in names if name in body), None)
        return status(400, f"Unsupported parameter: '{refused}' is not supported with this model.") if refused else answer(body)

    return reply


def _calls(body: Body) -> list[Mapping[str, Any]]:
    return [call for message in body["messages"] for call in message.get("tool_calls") or ()]


def _signature(call: Mapping[str, Any]) -> str:
    return f"signed {call['id']}"


def looks_up(name: str, *batches: Mapping[str, Any], then: str) -> Answering:
    """A model that calls one tool a turn, and then reports; it heeds `tool_choice`."""

    def answer(body: Body) -> Plan:
        turn = sum(bool(message.get("tool_calls")) for message in body["messages"])
        if turn >= len(batches) or not body.get("tools") or body.get("tool_choice") == "none":
            return then
        return Fault(text="I look. ", calls=calls_of((name, batches[turn]), prefix=f"c{turn}"), finish="tool_calls")

    return answer
