"""The results of a plan as numbered sources: what the synthesiser reads, cites and is held to. Pure.

A result is one line a figure, `latest_pct: 0.0052 %`, under the sentence that it comes to; the scripted synthesiser reads the same lines
back out of its prompt.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.desks.plan.registry import ToolRegistry
from engine.domain.plan.results import FactorExecutionResult, TaskExecutionResult
from engine.domain.research.document import Document
from engine.domain.text.language import Language
from engine.domain.text.visible import one_line, shortened
from engine.grounding.cited.sentences import without_citations
from engine.prompts.render import quoted

_MOST_LINES, _LONGEST = 60, 1500
_LINE: Final = re.compile(r"^([A-Za-z_][\w.]*): (.*)$")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_SHOWN: Final = re.compile(r'^\[(\d+)\] (\S+)[^\n]*\n<said by="result \d+">\n(.*?)\n</said>', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Measured:
    """One result. n: the number it is cited by, from 1. fields: its figures by name, with names of inner fields behind a dot."""

    n: int
    tool: str
    sentence: str
    fields: Mapping[str, str]

    @property
    def figures(self) -> Mapping[str, float]:
        """Its figures that are numbers."""
        return {name: float(found[0]) for name, value in self.fields.items() if (found := _NUMBER.match(value))}

    @property
    def text(self) -> str:
        """Everything it says: its sentence, and a line a figure."""
        return "\n".join((self.sentence, *(f"{name}: {value}" for name, value in self.fields.items())))


@dataclass(frozen=True)
class StayedResult(Measured):
    """A result that counts in the end. factor: whose. result: as the factor kept it."""

    factor: str
    result: TaskExecutionResult

    @property
    def document(self) -> Document:
        """It as a document that an answer can be checked against."""
        return Document(source=self.tool, title=self.sentence, abstract=self.text, published_date=self.result.as_of)


def stayed_results(factors: Sequence[FactorExecutionResult], registry: ToolRegistry, language: Language) -> list[StayedResult]:
    """Return every result that stayed, in the order of the plan: those from before a factor was planned anew do not count."""
    found: list[StayedResult] = []
    for factor in factors:
        results = factor.task_results
        last = max((index for index, each in enumerate(results) if each.status == "replanned"), default=-1)
        for each in results[last + 1 :]:
            tool = registry.get(each.tool)
            if each.kind not in ("task", "retry") or each.status != "done" or tool is None or not isinstance(each.output, dict):
                continue
            try:
                sentence = one_line(tool.sentence(each.output, language))
            except (KeyError, IndexError, TypeError, ValueError):  # a log that was changed: what cannot be read states nothing
                continue
            fields = dict([*_flat(each.output)][:_MOST_LINES])
            found.append(StayedResult(len(found) + 1, each.tool, sentence, fields, factor.name, each))
    return found


def results_text(results: Sequence[StayedResult]) -> str:
    """Return the results under their numbers, each inside an envelope of its own."""
    parts = []
    for each in results:
        head = f"[{each.n}] {each.tool} · {(each.result.as_of or '')[:16]} · confidence {each.result.confidence or 0.0:.2f}"
        parts.append(f"{head}\n{quoted(f'result {each.n}', each.text)}")
    return "\n\n".join(parts)


def read_results(text: str) -> list[Measured]:
    """Return the results in a prompt, as `results_text` writes them."""
    found = []
    for n, tool, said in _SHOWN.findall(text):
        sentence, *lines = said.split("\n")
        fields = {read[1]: read[2] for line in lines if (read := _LINE.match(line))}
        found.append(Measured(int(n), tool, sentence, fields))
    return found


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield (name, figure) of everything in a result but its series of values, which its other figures sum up."""
    if isinstance(value, Mapping):
        unit = str(value.get("unit") or "") if "value" in value else ""
        for key, item in value.items():
            if key == "value" and name:
                yield from _figure(name, item, unit == "percent")
            elif not unit or key not in ("unit", "text"):
                yield from _flat(item, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        if not any(isinstance(item, list | tuple) for item in value):
            for place, item in enumerate(value):
                yield from _flat(item, f"{name}.{place}")
    elif value is not None:
        yield from _figure(name, value, name.endswith("_pct"))


def _figure(name: str, value: Any, is_percent: bool) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield name, shortened(" ".join(one_line(without_citations(str(value))).split()), _LONGEST)
        return
    plain = f"{value:.10f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    share = f" ({value * 100:.4g} %)" if name.endswith("_share") else ""
    yield name, f"{plain}{' %' if is_percent else ''}{share}"
