"""A finished run as one picture to be shown to others, 1200 x 630: what was decided, the chart, three struck numbers, the hash. Pure.

It is SVG, made of the run's own data and of the chart that the saved file has; the browser that asks for it paints it
(`assets/run/share.js`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from engine.api import role_of
from engine.domain.claims import Claim
from engine.domain.proposal import Proposal
from engine.domain.run import RunRecord
from pages.chart.figure import ChartData
from pages.chart.still import HEIGHT as CHART_HEIGHT
from pages.chart.still import WIDTH as CHART_WIDTH
from pages.chart.still import chart_inside
from pages.claims.claim_card import stated, title, truth, truth_then
from pages.frame import json_fields, numbers
from pages.frame.escape import joined, markup
from pages.frame.palette import Theme, UpDown, chart_colours
from pages.frame.show import Show

WIDTH, HEIGHT = 1200, 630
MOST_STRUCK: Final = 3
_EDGE, _RIGHT = 40, 884
_CHART = (_EDGE, 156, 820)  # left, top, width
_FONT: Final = Markup(
    "'Source Sans','Source Sans 3','Source Sans Pro','PingFang SC','Hiragino Sans GB','Microsoft YaHei','Noto Sans CJK SC',sans-serif"
)
_TONES: Final = {"▲": "up", "▼": "down"}
_MOST_LETTERS: Final = 32
_FULL_SIZE: Final = 18
"""Letters of a value and its truth that are as large as can be; more of them are smaller."""


@dataclass(frozen=True)
class PictureContent:
    """subject: what was decided about, its timeframe and instant. sign, word: what it came to. tags: what kind of market and model it was.
    claims: every one that was read in the run. chart: None where there are no candles. snapshot_hash: of its inputs."""

    subject: str
    sign: str
    word: str
    tags: Sequence[str]
    claims: Sequence[Claim]
    snapshot_hash: str
    chart: ChartData | None = None
    proposal: Proposal | None = None


def market_and_model(record: RunRecord, show: Show) -> tuple[str, ...]:
    """Return `Simulated market`, `Scripted model`: what has to be said wherever a run is shown."""
    feed, model = str(getattr(record.request, "feed", "")), record.request.model
    market = (show.say(f"{feed}_market"),) if feed else ()
    return (*market, show.say("scripted_model") if model == "scripted" else show.say("model_tag", name=model))


def run_picture(content: PictureContent, show: Show, theme: Theme, up_down: UpDown) -> Markup:
    """Return the whole SVG; nothing in it is fetched."""
    colours = chart_colours(up_down)[theme]
    tokens = "".join(f"--{name}:{colour};" for name, colour in colours.items())
    style = markup(
        "<style>svg{{{}}}text{{font-family:{};font-variant-numeric:tabular-nums lining-nums;white-space:pre}}"
        ".c text{{font-size:15px;paint-order:stroke;stroke:var(--surface);stroke-width:3px;stroke-linejoin:round}}"
        '.c text[style*="--on-colour"]{{stroke:none}}</style>',
        tokens,
        _FONT,
    )
    body = [
        style,
        markup('<rect width="{}" height="{}" fill="var(--bg)"/>', WIDTH, HEIGHT),
        _head(content),
        _verdict(content),
        _chart(content.chart),
        _levels(content, show),
        _struck(content.claims, show),
        _foot(content, show),
    ]
    return markup(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}">{}</svg>',
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT,
        joined(body),
    )


def three_struck(claims: Iterable[Claim]) -> list[Claim]:
    """Return the false claims that are furthest from the truth, of one fact each; in the order they were said."""
    false = [claim for claim in claims if claim.when_said == "false"]
    by_size = sorted(false, key=lambda claim: -abs(claim.deviation or 0.0))
    furthest: dict[str, Claim] = {}
    for claim in by_size:
        furthest.setdefault(claim.key, claim)
    chosen = list(furthest.values())[:MOST_STRUCK]
    return [claim for claim in false if any(claim is each for each in chosen)]


def _text(x: float, y: float, words: object, size: float, colour: str = "text", *, bold: bool = False, anchor: str = "start") -> Markup:
    return markup(
        '<text x="{}" y="{}" font-size="{}" font-weight="{}" fill="var(--{})" text-anchor="{}">{}</text>',
        x,
        y,
        size,
        700 if bold else 400,
        colour,
        anchor,
        words,
    )


def _head(content: PictureContent) -> Markup:
    tags = _text(WIDTH - _EDGE, 56, " · ".join(content.tags), 17, "warn", anchor="end")
    return _text(_EDGE, 56, content.subject, 19, "muted") + tags


def _verdict(content: PictureContent) -> Markup:
    sign = _text(_EDGE, 126, content.sign, 46, _TONES.get(content.sign, "text"), bold=True)
    return sign + _text(_EDGE + 58, 126, content.word, 46, bold=True)


def _levels(content: PictureContent, show: Show) -> Markup:
    """Return the levels of the plan with its ratio, below the chart."""
    levels = json_fields.rows(content.chart.marks, "plan") if content.chart is not None else []
    shown = [(json_fields.words(each, "name") or "", json_fields.words(each, "text") or "") for each in levels]
    figures = content.proposal.figures if content.proposal is not None else None
    if figures is not None and figures.reward_risk_net is not None:
        shown.append((show.say("reward_risk"), numbers.number(figures.reward_risk_net, 2)))
    parts = []
    for index, (name, value) in enumerate(shown):
        x = _EDGE + 10 + index * 205
        parts += [_text(x, 516, name, 16, "muted"), _text(x, 546, value, 25, bold=True)]
    return joined(parts)


def _chart(data: ChartData | None) -> Markup:
    left, top, width = _CHART
    height = round((width - 20) * CHART_HEIGHT / CHART_WIDTH)
    frame = markup(
        '<rect x="{}" y="{}" width="{}" height="{}" rx="6" fill="var(--surface)" stroke="var(--line)"/>', left, top, width, height + 20
    )
    if data is None:
        return frame
    return frame + markup(
        '<svg class="c" x="{}" y="{}" width="{}" height="{}" viewBox="0 0 {} {}">{}</svg>',
        *(left + 10, top + 10, width - 20, height, CHART_WIDTH, CHART_HEIGHT, chart_inside(data)),
    )


def _struck(claims: Sequence[Claim], show: Show) -> Markup:
    """Return how many checked numbers were false, and three of them."""
    false, right = (sum(claim.when_said == verdict for claim in claims) for verdict in ("false", "true"))
    said = show.say("picture_false", n=false, of=false + right) if false + right else show.say("lie_nothing")
    parts = [_text(_RIGHT, 178, said, 19, "grounding" if false else "text", bold=True)]
    for index, claim in enumerate(three_struck(claims)):
        top = 228 + index * 100
        who = _short(f"{show.name(role_of(claim.source))} · {title(claim, show)}")
        was, so = _short(stated(claim, show)), _short(truth_then(claim, show) if claim.said_verdict is not None else truth(claim, show))
        value = markup(
            '<tspan fill="var(--muted)" text-decoration="line-through">{}</tspan>'
            '<tspan dx="14" fill="var(--grounding)" font-weight="700">✕ {}</tspan>',
            was,
            so,
        )
        size = min(27, 27 * _FULL_SIZE // max(len(was) + len(so), 1))
        parts += [_text(_RIGHT, top, who, 16, "muted"), _text(_RIGHT, top + 34, value, size)]
    return joined(parts)


def _foot(content: PictureContent, show: Show) -> Markup:
    proposal = content.proposal
    name = "picture_hash" if proposal is None else "picture_signed" if proposal.signatures else "picture_unsigned"
    digest = content.snapshot_hash if proposal is None else proposal.signatures[-1].hash if proposal.signatures else proposal.hash
    line = markup('<line x1="{}" x2="{}" y1="578" y2="578" stroke="var(--line)"/>', _EDGE, WIDTH - _EDGE)
    hashed = _text(_EDGE, 606, f"{show.say(name)} {digest}", 15, "muted") if digest else Markup()
    return line + hashed + _text(WIDTH - _EDGE, 606, show.say("picture_notice"), 15, "muted", anchor="end")


def _short(words: str) -> str:
    return words if len(words) <= _MOST_LETTERS else f"{words[: _MOST_LETTERS - 1]}…"
