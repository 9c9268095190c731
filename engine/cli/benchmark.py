"""`benchmark struck|verify|table|sheets|reader|quantagent`: the honesty test of what models say about markets.

struck      ask a model about frozen sheets; a result, its bundle and a page in --out
verify      decide a result again, offline
table       several results as one table
sheets      make sheets of a recording
reader      measure the reader of claims on labelled texts
quantagent  directional accuracy on windows of candles
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.shell.command import add_command
from engine.shell.terminal import in_words, padded, print_json, print_line, warn
from engine.shell.words import ShellWords, columns_of, spoken

if TYPE_CHECKING:
    from engine.api import Engine
    from engine.benchmark.benchmarks import StruckProgress, StruckRequest
    from engine.benchmark.figures import StruckResult
    from engine.benchmark.resampling import Share

say: Final = ShellWords(Path(__file__).parent, "benchmark")
_POLL_S = 0.5
_EVERY = 50
_BOTH = "both"
_SHEETS = 100


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Make the command known."""
    from engine.domain.text.language import LANGUAGES

    parser = add_command(commands, "benchmark", say, languages=(*LANGUAGES, _BOTH))
    parser.set_defaults(run=_run)
    parser.add_argument("what", choices=tuple(_COMMANDS), metavar="|".join(_COMMANDS), help=say("what"))
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help=say("folders"))
    parser.add_argument("--model", metavar="NAME", help=say("model"))
    parser.add_argument("--sheets", type=_positive, metavar="N", help=say("sheets"))
    parser.add_argument("--sheets-from", type=Path, metavar="FILE", help=say("sheets_from"))
    parser.add_argument("--k", type=_positive, default=10, metavar="K", help=say("k"))
    parser.add_argument("--lies", type=_share, default=0.0, metavar="R", help=say("lies"))
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=say("seed"))
    parser.add_argument("--out", type=Path, metavar="PATH", help=say("out"))
    parser.add_argument("--fee", type=_share, default=0.0005, metavar="F", help=say("fee"))
    parser.add_argument("--json", action="store_true", help=say("json"))


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 100_000:
        raise argparse.ArgumentTypeError(say("positive_number"))
    return value


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(say("share_number"))
    return value


def _run(options: argparse.Namespace) -> int:
    return _COMMANDS[options.what](options)


def _folders(options: argparse.Namespace, least: int, most: int | None) -> Sequence[Path]:
    from engine.domain.errors import BadInput

    found: Sequence[Path] = options.folders
    if len(found) < least or (most is not None and len(found) > most):
        raise BadInput(say("wants_folders", what=options.what, n=least))
    return found


def _out(options: argparse.Namespace) -> Path:
    from engine.domain.errors import BadInput

    if options.out is None:
        raise BadInput(say("wants_out", what=options.what))
    out: Path = options.out
    return out


def _struck(options: argparse.Namespace) -> int:
    from engine.benchmark.benchmarks import StruckRequest
    from engine.domain.text.language import LANGUAGES

    _folders(options, 0, 0)
    languages = LANGUAGES if options.language in (None, _BOTH) else (options.language,)
    request = StruckRequest(
        folder=_out(options),
        model=options.model,
        count=options.sheets,
        k=options.k,
        languages=languages,
        lies=options.lies,
        seed=options.seed,
        sheets=options.sheets_from,
        page=spoken(),
    )
    engine = options.open_engine()
    try:
        result = _measured(engine, request)
    finally:
        engine.close()
    if options.json:
        print_json(result.model_dump(mode="json"))
    else:
        _print_result(result, request.folder)
    return 1 if result.ended == "lost" else 0


def _measured(engine: "Engine", request: "StruckRequest") -> "StruckResult":
    engine.benchmarks.start(request)
    try:
        _follow(engine)
    except KeyboardInterrupt:
        warn(say("stopping"))
        engine.benchmarks.stop()
    return engine.benchmarks.wait()


def _follow(engine: "Engine") -> None:
    said, over = -1, False
    while not over:
        try:
            engine.benchmarks.wait(_POLL_S)
        except TimeoutError:
            pass
        else:
            over = True
        progress = engine.benchmarks.progress()
        if progress is None:
            continue
        if said < 0:
            warn(_estimated(progress))
        if progress.asked // _EVERY > said:
            said = progress.asked // _EVERY
            warn(say("progress", asked=progress.asked, all=progress.planned))


def _estimated(progress: "StruckProgress") -> str:
    cost = say("cost_unknown") if progress.cost is None else say("cost_about", cost=f"{progress.cost:.3f}")
    earlier = say("earlier", n=progress.earlier) if progress.earlier else ""
    return say("estimate", model=progress.model, questions=progress.planned, tokens=f"{progress.tokens:,}", cost=cost, earlier=earlier)


def _print_result(result: "StruckResult", folder: Path) -> None:
    print_line(say("measured", model=result.model, sheets=result.sheets, planned=result.planned, ended=say(f"ended_{result.ended}")))
    rows = {
        "false": result.false_per_100,
        "corrected": result.corrected_per_100,
        "statements": result.false_statements_per_100,
        **{f"flip_{arm}": share for arm, share in result.flip.items()},
        "stability": result.stability,
    }
    for name, share in rows.items():
        print_line(_line(say(f"row_{name}"), share))
    for group in ("language", "sheet", "kind"):
        for name, share in result.by[group].items():
            print_line(_line("  " + say(f"of_{name}"), share))
    reader, planted = result.reader, result.reader.planted
    print_line(say("reader_of", precision=_digits(reader.precision, 3), recall=_digits(reader.recall, 3), texts=reader.texts))
    if planted is not None:
        ends = {"precision": _digits(planted.precision, 3), "recall": _digits(planted.recall, 3)}
        print_line(say("planted", planted=planted.planted, found=planted.found, **ends))
    cost = "" if result.cost is None else say("cost", cost=f"{result.cost:.4f}")
    print_line(say("totals", calls=result.calls, tokens=f"{result.tokens:,}", cost=cost, seconds=f"{result.seconds:.0f}"))
    print_line(say("written", folder=folder))


def _line(name: str, share: "Share") -> str:
    return say(
        "share", name=padded(name, 44), value=padded(_digits(share.value), 8), low=_digits(share.low), high=_digits(share.high), n=share.n
    )


def _digits(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _verify(options: argparse.Namespace) -> int:
    from engine.benchmark.verification import verify

    (folder,) = _folders(options, 1, 1)
    found = verify(folder)
    if options.json:
        print_json({"verified": found.differs is None, "differs": found.differs, "answers": found.answers})
    elif found.differs is None:
        print_line(say("verified", answers=f"{found.answers:,}"))
    if found.differs is not None:
        warn(say("differs", what=in_words(found.differs)))
    return int(found.differs is not None)


def _table(options: argparse.Namespace) -> int:
    from engine.benchmark.page import in_order, result_page
    from engine.benchmark.verification import verify
    from engine.domain.errors import BadInput

    checked = [(folder, verify(folder)) for folder in _folders(options, 1, None)]
    known = [(folder, found.result, found.differs) for folder, found in checked if found.result is not None]
    for folder, found in checked:
        if found.differs is not None:
            warn(say("differs_in", folder=folder, what=in_words(found.differs)))
    if options.out is not None and known:
        page = result_page([result for _, result, _ in known], spoken(), {place: why for place, (_, _, why) in enumerate(known)})
        try:
            options.out.write_text(page, encoding="utf-8")
        except OSError as problem:
            raise BadInput(say("unwritten", file=options.out, problem=problem.strerror or problem)) from None
    known = [known[place] for place in in_order([result for _, result, _ in known])]
    if options.json:
        print_json([result.model_dump(mode="json") | {"folder": str(folder), "verified": why is None} for folder, result, why in known])
    else:
        _print_table([(result, why is None) for _, result, why in known])
    return int(any(found.differs is not None for _, found in checked))


def _print_table(rows: "Sequence[tuple[StruckResult, bool]]") -> None:
    heads = [
        say(f"head_{name}") for name in ("model", "false", "interval", "uncorrected", "corrected", "placebo", "steady", "sheets", "proof")
    ]
    lines = [heads]
    for result, verified in rows:
        share, flip = result.false_per_100, result.flip
        name = f"{result.model} {result.lies:g}" if result.is_control else result.model
        flips = [_digits(flip[arm].value) for arm in flip]
        steady = _digits(result.stability.value)
        proof = say("proof_yes") if verified else say("proof_no")
        lines.append([name, _digits(share.value), f"{_digits(share.low)}-{_digits(share.high)}", *flips, steady, str(result.sheets), proof])
    widths = [max(columns_of(line[place]) for line in lines) for place in range(len(heads))]
    for place, line in enumerate(lines):
        before, here = (rows[at - 1][0] if at > 0 else None for at in (place - 1, place))
        if before is not None and here is not None and here.is_ranked and before.questions != here.questions:
            print_line(say("apart"))
        print_line("  ".join(padded(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _quantagent(options: argparse.Namespace) -> int:
    (folder,) = _folders(options, 1, 1)
    engine = options.open_engine()
    try:
        found = engine.benchmarks.predicted(folder, options.fee, options.model, spoken())
    finally:
        engine.close()
    if options.json:
        print_json(found.model_dump(mode="json"))
    else:
        print_line(say("windows", n=found.windows, markets=found.markets, overlapping=f"{100 * found.overlapping:.0f}", block=found.block))
        for name, each in found.predictors.items():
            label = say(f"predictor_{name}") if name in ("always_long", "momentum", "coin") else name
            print_line(_line(say("accuracy_of", name=label), each.accuracy))
            print_line(_line(say("return_of", name=label), each.return_pct))
    if options.model and (silent := found.windows - found.predictors[options.model].taken):
        warn(say("windows_unanswered", n=silent, windows=found.windows, model=options.model))
    if not found.can_show_three_points:
        warn(say("too_few_windows", n=found.windows, edge=f"{100 * found.smallest_edge:.1f}"))
    return 0


def _sheets(options: argparse.Namespace) -> int:
    import asyncio

    from engine.benchmark.sheets import recorded_sheets, write_sheets
    from engine.domain.text.language import LANGUAGES

    (folder,) = _folders(options, 1, 1)
    languages = LANGUAGES if options.language in (None, _BOTH) else (options.language,)
    made = asyncio.run(recorded_sheets(folder, options.sheets or _SHEETS, languages))
    write_sheets(made, _out(options))
    if options.json:
        print_json({"sheets": len(made), "markets": sorted({str(sheet.facts["symbol"]) for sheet in made})})
    else:
        print_line(say("sheets_written", n=len(made), file=options.out))
    return 0 if made else 1


def _reader(options: argparse.Namespace) -> int:
    from engine.benchmark.labelled import TEXTS
    from engine.benchmark.reader import score_texts

    folders = _folders(options, 0, None) or sorted(path for path in TEXTS.iterdir() if path.is_dir())
    found = {str(folder): score_texts(folder) for folder in folders}
    if options.json:
        print_json({folder: _measure(measure) for folder, measure in found.items()})
        return 0
    for folder, measure in found.items():
        total = measure.total
        ends = {"precision": _digits(total.precision, 3), "recall": _digits(total.recall, 3)}
        print_line(say("reader_in", folder=folder, texts=measure.texts, claims=measure.claims, **ends))
        for name, each in {**measure.languages, **measure.kinds}.items():
            ends = {"precision": _digits(each.precision, 3), "recall": _digits(each.recall, 3)}
            print_line(say("reader_part", name=padded(say(f"of_{name}"), 24), **ends))
    return 0


def _measure(measure: Any) -> dict[str, Any]:
    from engine.benchmark.reader import shares

    total = {"precision": measure.total.precision, "recall": measure.total.recall}
    return {
        "texts": measure.texts,
        "claims": measure.claims,
        **total,
        "languages": shares(measure.languages),
        "kinds": shares(measure.kinds),
    }


_COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace], int]]] = {
    "struck": _struck,
    "verify": _verify,
    "table": _table,
    "sheets": _sheets,
    "reader": _reader,
    "quantagent": _quantagent,
}
