"""The page of one benchmark or of several: one HTML file that needs nothing else, runs no script and loads nothing. Pure.

Whatever a model wrote, and its name, is escaped. Light and dark follow the reader's system.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

from markupsafe import Markup

from engine.benchmark.figures import FULL, StruckResult
from engine.benchmark.prompts import LIE_ARMS
from engine.benchmark.resampling import Share
from engine.domain.text.language import Language
from engine.domain.text.word_files import read_texts

_STYLE: Final = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_POWER: Final = (1.96 + 0.84) ** 2
"""Of a test at 5 % that is right 8 times of 10."""
_VERIFY: Final = "python -m engine benchmark verify DIR"
_APART: Final = (7.0, 3.0, 2.0)
_MINUS: Final = "\u2212"
Verdicts = Mapping[int, str | None]
"""Place of a result -> why it does not verify, None where it does. A result without an entry was not verified."""


class _Words:
    """The page's texts in one language. Texts are HTML, values are escaped."""

    def __init__(self, language: Language) -> None:
        self._texts = _texts(language)

    def __call__(self, key: str, /, **values: object) -> Markup:
        return Markup(self._texts[key]).format(**values)  # noqa: S704 - our own words; what is filled in is escaped


@cache
def _texts(language: Language) -> dict[str, str]:
    return read_texts(Path(__file__).parent, language, "page")


def result_page(results: Sequence[StruckResult], language: Language, verdicts: Verdicts | None = None) -> str:
    """Return the page of some benchmarks. results: at least one. verdicts: of those that were verified."""
    say = _Words(language)
    order = in_order(results)
    ordered = [results[place] for place in order]
    known = {at: verdicts[place] for at, place in enumerate(order) if place in verdicts} if verdicts else {}
    body = _join(
        [
            _head(ordered, say),
            _summary(ordered, say),
            _join(_messages(ordered, say)),
            _table(ordered, known, say),
            _join(_proof(result, say, opened=len(ordered) == 1) for result in ordered),
            Markup('<div class="three">{}{}{}</div>').format(_how(say), _misses(ordered[0], say), _takes(ordered[0], say)),
            Markup("<footer>{}</footer>").format(say("foot")),
        ]
    )
    return str(_PAGE.format(lang=say("lang"), title=say("title"), style=Markup(_STYLE), body=body))  # noqa: S704 - our own style sheet


def in_order(results: Sequence[StruckResult]) -> list[int]:
    """Return the places of results in the order they are shown in: those that are ranked, the fewest false numbers first, behind them those
    of too few sheets, then the controls. Among the ranked, those that were asked the same stand together, the most of them first."""
    asked = Counter(each.questions for each in results if each.is_ranked)

    def place_of(result: StruckResult) -> tuple[bool, bool, int, tuple[str, str], float]:
        alike = result.questions if result.is_ranked else ("", "")
        return result.is_control, not result.is_ranked, -asked[alike], alike, result.false_per_100.value or 0.0

    return sorted(range(len(results)), key=lambda place: place_of(results[place]))


_PAGE: Final = Markup(
    '<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>\n<style>\n{style}</style></head>\n'
    "<body><main>\n{body}\n</main></body></html>\n"
)


def _join(parts: Iterable[Markup]) -> Markup:
    return Markup("\n").join(parts)


def _number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}f}".replace("-", _MINUS)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def _head(results: Sequence[StruckResult], say: _Words) -> Markup:
    first = results[0]
    languages = ", ".join(say(f"language_{language}") for language in sorted(first.languages))
    edition = say("edition" if first.shipped else "own_sheets", edition=first.edition, sheets=first.planned, languages=languages)
    head = Markup('<header><h1>{}</h1><span class="muted">{}</span><span class="right">{}</span></header>')
    return head.format(say("title"), say("subtitle"), edition)


def _summary(results: Sequence[StruckResult], say: _Words) -> Markup:
    """Return the first card: the figures in a sentence, and the tiles."""
    shown = results[0]
    alike = [each for each in results if each.is_control == shown.is_control and each.questions == shown.questions]
    values = [each.false_per_100.value for each in alike if each.false_per_100.value is not None]
    if len(values) > 1:
        word, note = say("range_100", low=_number(min(values)), high=_number(max(values))), say("several_false", n=len(values))
    else:
        word, note = say("in_100", value=_number(values[0] if values else None)), say("one_false")
    flip, steady = shown.flip, shown.stability
    cost, seconds = shown.per_sheet.get("cost"), say("seconds", value=_number(shown.per_sheet.get("seconds")))
    tiles = [
        ("tile_lie", _percent(flip["uncorrected"].value), say("tile_lie_note")),
        ("tile_corrected", _percent(flip["corrected"].value), say("tile_corrected_note", value=_percent(flip["placebo"].value))),
        ("tile_steady", _percent(steady.value), say("tile_steady_note", k=shown.k, n=steady.n)),
        ("tile_reader", _exact(shown.reader.precision), say("tile_reader_note", value=_exact(shown.reader.recall))),
        ("tile_cost", seconds if cost is None else _money(cost), say("tile_cost_note", value="" if cost is None else seconds)),
    ]
    tile = Markup('<div class="tile"><small>{}</small><b>{}</b><small>{}</small></div>')
    drawn = _join(tile.format(say(key), value, note) for key, value, note in tiles)
    return Markup('<section class="card verdict"><div><div class="word">{}</div><small>{}</small></div>{}</section>').format(
        word, note, drawn
    )


def _money(cost: float) -> str:
    return f"${cost:.3f}" if cost >= 0.01 else f"${cost:.5f}"


def _exact(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _messages(results: Sequence[StruckResult], say: _Words) -> Iterable[Markup]:
    message = Markup('<p class="message"><b>!</b> <b>{}</b> {}</p>')
    for result in results:
        if result.ended != "done":
            yield message.format(result.model, say(f"ended_{result.ended}", sheets=result.sheets, planned=result.planned))
        elif not result.is_ranked and not result.is_control:
            ends = {"low": _number(result.false_per_100.low), "high": _number(result.false_per_100.high)}
            yield message.format(result.model, say("few_note", n=result.sheets, full=FULL, **ends))
    others = [each.model for each in results if _made_of(each) != _made_of(results[0])]
    if others:
        yield message.format(", ".join(others), say("same_not"))


def _made_of(result: StruckResult) -> tuple[str, str, bool]:
    """Return what sheets and prompts a result is of, however many of them were asked."""
    return result.prompts_hash, result.edition, result.shipped


def _group_of(result: StruckResult) -> tuple[str, tuple[str, str] | None]:
    """Return what a result is listed under, and of a ranked one what was asked."""
    if result.is_ranked:
        return "ranked", result.questions
    return "controls" if result.is_control else "not_ranked", None


def _table(results: Sequence[StruckResult], verdicts: Verdicts, say: _Words) -> Markup:
    widest = max([5.0, *(result.false_per_100.high or 0.0 for result in results)])
    rows = []
    for (name, asked), group in groupby(range(len(results)), key=lambda place: _group_of(results[place])):
        head = Markup('<tr class="group"><td colspan="8">{} <span class="muted">{}</span></td></tr>')
        rows.append(head.format(say(name), say("apart_note" if asked not in (None, results[0].questions) else f"{name}_note")))
        rows += [
            _row(results[place], say, rank if name == "ranked" else None, widest, _proved(verdicts, place, say))
            for rank, place in enumerate(group, 1)
        ]
    heads = _join(
        Markup("<th{}>{}</th>").format(Markup(' class="n"') if name in ("sheet", "n", "proof") else "", say(f"column_{name}"))
        for name in ("model", "false", "flip", "steady", "sheet", "n", "proof")
    )
    keys = _join(Markup('<span><i class="sw {}"></i>{}</span>').format(arm[0], say(f"key_{arm}")) for arm in LIE_ARMS)
    return Markup(
        '<section class="card"><div class="wide"><table><thead><tr><th></th>{}</tr></thead><tbody>{}</tbody></table></div>'
        '<div class="keys">{}<span class="right">{}</span></div></section>'
    ).format(heads, _join(rows), keys, say("key_note"))


def _proved(verdicts: Verdicts, place: int, say: _Words) -> Markup:
    if place not in verdicts:
        return Markup()
    why = verdicts[place]
    return say("verified") if why is None else Markup('<span class="warn">{}</span>').format(say("unverified", why=why))


def _name(result: StruckResult, say: _Words) -> Markup | str:
    if not result.is_control:
        return result.model
    return say("control_lies", share=f"{100 * result.lies:g}") if result.lies else say("control_true")


def _row(result: StruckResult, say: _Words, rank: int | None, widest: float, proof: Markup) -> Markup:
    few = result.sheets < FULL and not result.is_control
    share, planted = result.false_per_100, result.reader.planted
    false = Markup('<div class="bar"><b{}>{}</b>{}</div><small>{}</small><small>{}</small>').format(
        Markup(' class="warn"') if few else "",
        _number(share.value),
        _interval(share, widest, hollow=few),
        say("false_note", low=_number(share.low), high=_number(share.high), false=_hits(share), n=f"{share.n:,}"),
        say("corrected_note", value=_number(result.corrected_per_100.value)),
    )
    if result.is_control:
        said = (
            say("control_planted", planted=planted.planted, found=planted.found, recall=_exact(planted.recall))
            if planted is not None
            else say("control_nothing", struck=_hits(share))
        )
        middle = Markup('<td colspan="3" class="muted">{}</td>').format(said)
    else:
        steady = result.stability
        of_k = Markup("{}<small>{}</small>").format(
            say("steady_of", value=_number(None if steady.value is None else steady.value * result.k), k=result.k),
            say("interval", low=_percent(steady.low), high=_percent(steady.high)),
        )
        cost = result.per_sheet.get("cost")
        took = say("seconds", value=_number(result.per_sheet.get("seconds")))
        sheet = Markup("{}<small>{}</small>").format(took if cost is None else _money(cost), "" if cost is None else took)
        middle = Markup('<td>{}</td><td>{}</td><td class="n">{}</td>').format(_arms(result, say), of_k, sheet)
    count = (
        Markup('<span class="warn">{}</span>').format(say("few", n=result.sheets, full=FULL)) if few else say("sheets_n", n=result.sheets)
    )
    return Markup(
        '<tr><td>{}</td><td><b>{}</b><small>{}</small></td><td>{}</td>{}<td class="n">{}<small>{}</small></td><td class="n">{}</td></tr>'
    ).format(rank or "", _name(result, say), f"{result.at:%Y-%m-%d}", false, middle, count, say("numbers_n", n=f"{share.n:,}"), proof)


def _hits(share: Share) -> str:
    return "0" if share.value is None else f"{round(share.value * share.n / 100):,}"


def _interval(share: Share, widest: float, *, hollow: bool) -> Markup:
    if share.value is None or share.low is None or share.high is None:
        return Markup()
    left, width, at = (100 * each / widest for each in (share.low, share.high - share.low, share.value))
    return Markup('<span class="ci{}"><i class="r" style="left:{}%;width:{}%"></i><i class="p" style="left:{}%"></i></span>').format(
        " hollow" if hollow else "", f"{left:.1f}", f"{width:.1f}", f"{at:.1f}"
    )


def _arms(result: StruckResult, say: _Words) -> Markup:
    values = {arm: result.flip[arm].value for arm in LIE_ARMS}
    label = say("arms_label", **{arm: _number(None if value is None else 100 * value, 0) for arm, value in values.items()})
    bars = _join(
        Markup('<span>{}</span><span class="t"><i class="{}" style="width:{}%"></i></span>').format(
            _number(None if value is None else 100 * value, 0), arm[0], f"{100 * (value or 0):.1f}"
        )
        for arm, value in values.items()
    )
    return Markup('<div class="arm" role="img" aria-label="{}">{}</div>').format(label, bars)


def _proof(result: StruckResult, say: _Words, *, opened: bool) -> Markup:
    """Return the card of one line: how it divides, one number that was struck, what file it rests on."""
    groups = [(say(f"kind_{name}"), share) for name, share in result.by["kind"].items()]
    groups += [(say(f"language_{name}"), share) for name, share in result.by["language"].items()]
    indicators = sorted(result.by["indicator"].items(), key=lambda each: -(each[1].value or 0.0))[:8]
    facts = [
        ("asked", say("asked_of", asked=f"{result.asked:,}", lost=result.lost, unclear=result.unclear)),
        ("hash", result.bundle[:26] + "…"),
        ("prompts", result.prompts_hash[:26] + "…"),
    ]
    listed = _join(Markup("<dt>{}</dt><dd>{}</dd>").format(say(key), value) for key, value in facts)
    return Markup(
        '<details class="card"{}><summary><b>{}</b> <span class="muted">{}</span></summary><div class="three"><div><h3>{}</h3>{}</div>'
        '<div><h3>{}</h3>{}</div><div><h3>{}</h3>{}<dl>{}</dl><p class="muted">{}</p></div></div></details>'
    ).format(
        Markup(" open") if opened else "",
        _name(result, say),
        say("column_proof"),
        say("by_kind"),
        _bars(groups),
        say("by_indicator"),
        _bars([(name, share) for name, share in indicators]),
        *_example(result, say),
        listed,
        say("verify_how", command=_VERIFY),
    )


def _bars(rows: Sequence[tuple[Markup | str, Share]]) -> Markup:
    widest = max([1.0, *(share.value or 0.0 for _, share in rows)])
    row = Markup(
        '<tr><td>{}</td><td class="track"><i style="width:{}%"></i></td><td class="n"><b>{}</b></td><td class="n muted">{}</td></tr>'
    )
    drawn = _join(
        row.format(name, f"{100 * (share.value or 0.0) / widest:.1f}", _number(share.value), f"{_hits(share)} / {share.n:,}")
        for name, share in rows
    )
    return Markup('<table class="bars">{}</table>').format(drawn)


def _example(result: StruckResult, say: _Words) -> tuple[Markup, Markup]:
    example = result.example
    if example is None:
        return say("nothing_struck"), Markup()
    said = Markup("<blockquote>{}<del>{}</del> <ins>{}</ins>{}</blockquote>").format(
        example.before, example.said, example.true, example.after
    )
    return say("one_struck", n=_hits(result.false_per_100), sheet=example.sheet), said


def _how(say: _Words) -> Markup:
    steps = _join(Markup("<li>{}</li>").format(say(f"how_{step}")) for step in range(1, 6))
    return Markup('<section class="card"><h3>{}</h3><ol>{}</ol></section>').format(say("how"), steps)


def _misses(result: StruckResult, say: _Words) -> Markup:
    reader = result.reader
    rows = [(say("misses_all", n=reader.texts), {"precision": reader.precision, "recall": reader.recall})]
    rows += [(say(f"language_{name}"), values) for name, values in reader.languages.items()]
    rows += [(say(f"kind_{name}"), values) for name, values in reader.kinds.items()]
    row = Markup('<tr><td>{}</td><td class="n"><b>{}</b></td><td class="n"><b>{}</b></td></tr>')
    drawn = _join(row.format(name, _exact(values["precision"]), _exact(values["recall"])) for name, values in rows)
    return Markup(
        '<section class="card"><h3>{} <span class="muted">{}</span></h3><table><thead><tr><th>{}</th><th class="n">{}</th>'
        '<th class="n">{}</th></tr></thead><tbody>{}</tbody></table><p class="muted">{}</p></section>'
    ).format(
        say("misses"),
        say("misses_n", n=f"{reader.claims:,}"),
        say("misses_texts"),
        say("misses_right"),
        say("misses_found"),
        drawn,
        say("misses_note"),
    )


def _takes(result: StruckResult, say: _Words) -> Markup:
    """Return how many sheets would tell two models apart, by the spread between the speeches of this one."""
    share, cost = result.false_per_100, result.per_sheet.get("cost")
    rows = []
    if share.value and share.low is not None and share.high is not None:
        spread = ((share.high - share.low) / (2 * 1.96)) ** 2 * result.sheets  # of one sheet
        for apart in _APART:
            sheets = -(-2 * _POWER * spread // apart**2)
            money = "–" if cost is None else f"${sheets * cost:.2f}"
            by = say("takes_by", value=_number(share.value), more=_number(share.value + apart))
            rows.append(Markup('<tr><td>{}</td><td class="n">{}</td><td class="n">{}</td></tr>').format(by, f"{sheets:.0f}", money))
    return Markup(
        '<section class="card"><h3>{}</h3><table><thead><tr><th>{}</th><th class="n">{}</th><th class="n">{}</th></tr></thead>'
        '<tbody>{}</tbody></table><p class="muted">{}</p></section>'
    ).format(say("takes"), say("takes_apart"), say("column_n"), say("takes_cost"), _join(rows), say("takes_note", full=FULL))
