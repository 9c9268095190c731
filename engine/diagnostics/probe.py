"""Looking at an installation: probes that run at once, each within its own deadline, and never change anything.

A probe gives lines; what it raises becomes one that failed. No line holds a secret, even in quoted text.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult, DiagnosticStatus
from engine.domain.errors import BadMarketData, BrokerUnreachable, MarketUnreachable, TribunalError
from engine.domain.text.visible import one_line

Results = Sequence[DiagnosticResult]
_LONGEST = 500
_HIDDEN = "***"
_SHORTEST_SECRET = 4


@dataclass(frozen=True)
class Probe:
    """One part of the installation. name: of the line that stands for all of it when it fails as a whole. run: looks; raises a
    TribunalError where it cannot."""

    name: str
    run: Callable[[], Awaitable[Results]]


def line(name: str, status: DiagnosticStatus, detail: str, what_to_do: str = "") -> DiagnosticResult:
    """Return one line; see `DiagnosticResult`."""
    return DiagnosticResult(name=name, status=status, detail=detail, what_to_do=what_to_do)


async def run_probes(probes: Sequence[Probe], within_s: float, words: DiagnosticWords, secrets: Iterable[str]) -> list[DiagnosticResult]:
    """Return the lines of all probes, in their order. within_s: seconds that each may take. secrets: texts that no line may hold."""
    hidden = [each for each in secrets if len(each) >= _SHORTEST_SECRET]
    found = await asyncio.gather(*(_run(each, within_s, words) for each in probes), return_exceptions=True)
    lines: list[DiagnosticResult] = []
    for probe, results in zip(probes, found, strict=True):
        if isinstance(results, BaseException):
            if not isinstance(results, Exception):
                raise results
            text = words("program_fault", kind=type(results).__name__, text=str(results)[:200])
            lines.append(_presentable(line(probe.name, "failed", text, words("program_fault_do")), hidden))
        else:
            lines += [_presentable(each, hidden) for each in results]
    return lines


async def _run(probe: Probe, within_s: float, words: DiagnosticWords) -> Results:
    try:
        async with asyncio.timeout(within_s):
            return await probe.run()
    except TimeoutError:
        detail, advice = words("no_answer", seconds=f"{within_s:g}"), words("no_answer_do")
    except (MarketUnreachable, BrokerUnreachable, BadMarketData) as problem:
        detail, advice = str(problem), words("venue_do")
    except TribunalError as problem:
        detail, advice = str(problem), words("failed_do")
    return [line(probe.name, "failed", detail, advice)]


def _presentable(result: DiagnosticResult, hidden: Sequence[str]) -> DiagnosticResult:
    def clean(text: str) -> str:
        for each in hidden:
            text = text.replace(each, _HIDDEN)
        return one_line(text)[:_LONGEST]

    return result.model_copy(update={"detail": clean(result.detail), "what_to_do": clean(result.what_to_do)})
