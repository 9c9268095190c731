"""The loopback model in a process of its own, so that its work is not counted as the engine's.

    python -m tests.benchmarks.endpoint ANSWERS.json FIRST_TOKEN_S TOKENS_PER_S

Says its address in one line. Every line it is sent then gives one JSON line back about what came since the line before, and at the end of
its input it ends: `peak` calls open at once, and for every call its role, the wall-clock second at which its first token was due, and how
long it was open. Times are this side's, so that a late engine cannot hide in them.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.prompts.paragraphs import LOOKED_UP
from tests.conftest import ROOT
from tests.flows.answers import SOUND, asked_role
from tests.servers.llm import Body, LLMServer, Plan, wants


@dataclass(frozen=True)
class Call:
    """One call as the model's side saw it. first_due: Unix seconds; open_s: from the request to the last byte."""

    role: str
    first_due: float
    open_s: float


class Endpoint:
    """The other process, from the engine's side."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.base_url = self._line()

    def report(self) -> tuple[int, list[Call]]:
        """Most calls open at once, and every call, since the last report."""
        assert self._process.stdin is not None
        self._process.stdin.write("report\n")
        self._process.stdin.flush()
        told = json.loads(self._line())
        return told["peak"], [Call(**call) for call in told["calls"]]

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        assert line, "the endpoint's process ended"
        return line


@contextmanager
def running(answers: Mapping[str, Any], folder: Path, first_token_s: float, tokens_per_s: float) -> Iterator[Endpoint]:
    """An endpoint that answers every role. answers: role -> its text, or {"text", "calls": a list of batches [[name, arguments], ...]}, a
    batch a turn before the text. folder: where the answers are handed over."""
    told = folder / "answers.json"
    told.write_text(json.dumps(dict(answers)), encoding="utf-8")
    command = [sys.executable, "-m", "tests.benchmarks.endpoint", str(told), str(first_token_s), str(tokens_per_s)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Endpoint(process)
    finally:
        process.communicate()


def _turn(line: Mapping[str, Any], body: Body) -> Plan:
    """The next batch of calls while there is one, tools are offered and nothing was looked up already, then the text."""
    turn = sum(message["role"] == "assistant" for message in body["messages"])
    batches = line["calls"]
    if turn >= len(batches) or not body.get("tools") or LOOKED_UP["en"] in str(body["messages"][-1]["content"]):
        return str(line["text"])
    return wants(*((name, arguments) for name, arguments in batches[turn]), prefix=f"call-{turn}")


def serve(answers: Mapping[str, Any], first_token_s: float, tokens_per_s: float) -> None:
    """Answer until the input ends."""
    asked: list[tuple[str, float]] = []

    def answer(body: Body) -> Plan:
        role = asked_role(body)
        asked.append((role, time.time()))
        line = answers.get(role, SOUND.get(role))
        assert line is not None, role
        return line if isinstance(line, str) else _turn(line, body)

    with LLMServer(answer, first_token_s=first_token_s, tokens_per_s=tokens_per_s) as server:
        print(server.base_url, flush=True)
        for _ in sys.stdin:
            calls = [
                {"role": role, "first_due": at + first_token_s, "open_s": request.duration_s}
                for (role, at), request in zip(asked, server.requests, strict=True)
            ]
            print(json.dumps({"peak": server.peak, "calls": calls}), flush=True)
            asked.clear()
            server.requests.clear()
            server.peak = 0


if __name__ == "__main__":
    serve(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), float(sys.argv[2]), float(sys.argv[3]))
