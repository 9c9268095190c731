"""The sentences that the engine's own code can put before a person, read out of that code.

What is looked for: what every error of `engine/domain/errors.py` and every kind of it is raised with, what is written down as a `why`, a
`reason`, `trouble` or as what is `missing`, and what is added to notes, errors and warnings; in one of these also what a name or a
function of the same module puts in. A sentence is written `{}` where a value stands.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

from tests.conftest import ROOT

ELSEWHERE = {
    "cli": "the shell's own words",
    "diagnostics": "speaks both languages itself",
    "flows/decision/script": "what the scripted model answers",
    "flows/plan/standalone.py": "a plan on its own, without a run that a page could show",
    "flows/plan/registry.py": "of a program that builds its own registry",
    "grounding/plain_sheet.py": "facts that the shell was given in a file",
    "grounding/tables/by_path.py": "facts that the shell was given in a file",
    "flows/plan/tools/quality.py": "said by `restated` in pages/research/task_words.py",
    "journal/verification.py": "the answer of the shell's `verify`",
}
"""Rooms and modules of the engine whose sentences no page shows, and why."""
NO_SENTENCES = {
    "{source}_{SYMBOL}_1d_raw.csv[.gz] or .parquet, or *_1d_*.csv[.gz] with a column symbol",
    "{venue}_{perp|spot}_{SYMBOL}_{timeframe}.csv, .csv.gz or .parquet",
}
"""Names of files."""
_LISTS = {"errors", "warnings", "notes"}
_SAID = {"why", "reason", "missing", "trouble", "error", *_LISTS}
_PASSES_ON = {"line", "bare", "_failed", "_end", "_refused"}
"""Functions that put a sentence behind a name, or write it down."""
_WORDS = re.compile(r"[A-Za-z]{2,},? (?:[^A-Za-z]+ )?[A-Za-z]{2,}")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_DEEPEST = 3


def engine_sentences() -> dict[str, str]:
    """Return every sentence -> where it stands first, `room/module.py:line`."""
    trees = engine_trees()
    errors, found = error_classes(trees.values()), dict[str, str]()
    for path, tree in trees.items():
        if any(path.is_relative_to(each) for each in ELSEWHERE):
            continue
        for line, sentence in sentences_of(tree, errors):
            found.setdefault(sentence, f"{path}:{line}")
    return found


@cache
def engine_trees() -> dict[Path, ast.Module]:
    """Return every module of the engine by its path in it."""
    room = ROOT / "engine"
    return {path.relative_to(room): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(room.rglob("*.py"))}


def error_classes(trees: Iterable[ast.Module]) -> set[str]:
    """Return the names of TribunalError and of everything that is one."""
    bases = defaultdict(set)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases[node.name] |= {base.id for base in node.bases if isinstance(base, ast.Name)}
    known = {"TribunalError"}
    while more := {name for name, of in bases.items() if of & known} - known:
        known |= more
    return known


def sentences_of(tree: ast.Module, errors: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and sentence of one module."""
    module = _Module(tree)
    for node in ast.walk(tree):
        for said in _said_in(node, errors):
            for text in module.texts(said):
                if _WORDS.search(text.replace("{}", " ")) and not _CHINESE.search(text) and text not in NO_SENTENCES:
                    yield node.lineno, text.strip("; ").removeprefix(": ")


def _said_in(node: ast.AST, errors: set[str]) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in _SAID:
                yield value
    if not isinstance(node, ast.Call):
        return
    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name in errors:
        yield from node.args[:1]
    elif name in _PASSES_ON or _is_noted(node.func):
        yield from node.args
    yield from (each.value for each in node.keywords if each.arg in _SAID)


def _is_noted(function: ast.expr) -> bool:
    """Return whether it adds to errors, warnings or notes."""
    if not isinstance(function, ast.Attribute) or function.attr not in {"append", "add"}:
        return False
    return ast.unparse(function.value).rpartition(".")[2] in _LISTS


class _Module:
    """What names and functions of one module may say."""

    def __init__(self, tree: ast.Module) -> None:
        self._named: dict[str, list[ast.expr]] = defaultdict(list)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._named[target.id].append(node.value)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._named[f"{node.name}()"] += [
                    each.value for each in ast.walk(node) if isinstance(each, ast.Return | ast.Yield) and each.value is not None
                ]

    def texts(self, node: ast.expr, depth: int = 0) -> Iterator[str]:
        """Yield every text that an expression may be, and those that stand in it."""
        if depth > _DEEPEST:
            return
        if isinstance(node, ast.Constant):
            yield from [node.value] if isinstance(node.value, str) else []
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        for each, deeper in self._within(node):
            yield from self.texts(each, depth + deeper)

    def _within(self, node: ast.expr) -> Iterator[tuple[ast.expr, int]]:
        """Yield what may be put into an expression or stand in its place, and how much deeper that is."""
        match node:
            case ast.JoinedStr(values=parts):
                yield from ((part.value, 1) for part in parts if isinstance(part, ast.FormattedValue))
            case ast.IfExp(body=body, orelse=other):
                yield from ((body, 0), (other, 0))
            case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values) | ast.Dict(values=values):
                yield from ((each, 0) for each in values)
            case ast.BinOp(left=left, right=right):
                yield from ((left, 1), (right, 1))
            case ast.Name(id=name):
                yield from ((each, 1) for each in self._named[name])
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                yield from ((each, 1) for each in self._named[f"{name}()"])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get")):
                yield from ((each, 1) for each in self._named[name])
            case _:
                return


IN_BOTH = ("approvals/locks.py", "flows/decision/reasons.py", "flows/fusion/reasons.py", "flows/research/reasons.py")
"""Modules that write their sentences in the language of a run, which a page in the other one says too."""
_NAMED = re.compile(r"\{(\w+)\}")


def sentences_in_both() -> dict[str, str]:
    """Return what those modules write in English -> the same in Chinese, with `{0}` for what the first `{}` stands for."""
    found = {}
    for path in IN_BOTH:
        for node in ast.walk(ast.parse((ROOT / "engine" / path).read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Dict):
                continue
            said = {key.value: value.value for key, value in zip(node.keys, node.values, strict=True) if _is_text(key) and _is_text(value)}
            if said.keys() == {"en", "zh"} and " " in said["en"]:
                places = {name: f"{{{place}}}" for place, name in enumerate(_NAMED.findall(said["en"]))}
                chinese = _NAMED.sub(lambda name, places=places: places[name[1]], said["zh"])  # type: ignore[misc]
                found[_NAMED.sub("{}", said["en"])] = chinese
    return found


def _is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
