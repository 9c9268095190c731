"""One spelling for everything that means the same, with the way back to the original offsets.

Given a role's text, gives it in compatibility form (full-width digits, thin spaces), lower case, simplified Chinese, without markup:
HTML tags, markdown emphasis, struck-out passages and invisible characters are gone. Every remaining character knows which code points
of the original it came from, because claims are reported and corrected in the original.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_TRADITIONAL = (
    "資費價線壓勢趨買賣倉槓桿虧損標動強漲點約無萬億與從時週處軌離轉號數據現報開關過達還縮貪懼場級別圖區間額長頭陰陽確認稱說對"
    "錯誤實際應該會將則設預計測歷參極斷進態獲創後當個調並沒擊狀於為幣幾雖經盤業終歸請嗎僅減續邊維擴隨領兩內雙淨總層許倖讀難觸"
    "績構籌貨僞偽"
)
_SIMPLIFIED = (
    "资费价线压势趋买卖仓杠杆亏损标动强涨点约无万亿与从时周处轨离转号数据现报开关过达还缩贪惧场级别图区间额长头阴阳确认称说对"
    "错误实际应该会将则设预计测历参极断进态获创后当个调并没击状于为币几虽经盘业终归请吗仅减续边维扩随领两内双净总层许幸读难触"
    "绩构筹货伪伪"
)
_SIMPLE = dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True))
_SPELLING = {
    "，": ", ",
    "﹣": "-",
    "‐": "-",
    "‑": "-",
    "–": "–",
    "—": "—",
    "～": "~",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "「": '"',
    "」": '"',
}

_MARKUP = re.compile(
    r"(?P<struck>~~[^~\n]{1,200}~~)"
    r"|(?P<comment><!--[^<>]{0,300}-->)"
    r"|(?P<tag></?(?P<name>[a-zA-Z][a-zA-Z0-9]{0,15})(?:[\s/][^<>]{0,300})?>)"
    r"|(?P<entity>&(?P<ref>lt|gt|amp|nbsp|minus|quot|le|ge|ndash|asymp|#\d{1,6});)"
    r"|(?P<mark>[*`]+|\\(?=[_*`|#~-]))"
)
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "nbsp": " ", "minus": "-", "quot": '"', "le": "≤", "ge": "≥", "ndash": "–", "asymp": "≈"}
_BREAKING_TAGS = frozenset({"br", "p", "li", "ul", "ol", "tr", "div", "h1", "h2", "h3", "h4", "table"})
_CELL_TAGS = frozenset({"td", "th"})


@dataclass(frozen=True, slots=True)
class NormalText:
    """text: the normalised text. starts[i], ends[i]: the original code points [start, end) behind text[i]."""

    text: str
    starts: list[int]
    ends: list[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the original code points behind text[start:end], which must not be empty."""
        return self.starts[start], self.ends[end - 1]


def normalise(text: str) -> NormalText:
    """Normalise `text`; never fails, whatever it holds."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def put(piece: str, start: int, end: int) -> None:
        for char in piece:
            out.append(char)
            starts.append(start)
            ends.append(end)

    at = 0
    for match in _MARKUP.finditer(text):
        _plain(text, at, match.start(), out, starts, ends)
        put(_replacement(match), match.start(), match.end())
        at = match.end()
    _plain(text, at, len(text), out, starts, ends)
    return NormalText("".join(out), starts, ends)


def _plain(text: str, start: int, end: int, out: list[str], starts: list[int], ends: list[int]) -> None:
    if text[start:end].isascii():
        out.append(text[start:end].lower().replace("\r", "\n"))
        starts.extend(range(start, end))
        ends.extend(range(start + 1, end + 1))
        return
    for index in range(start, end):
        for char in _fold(text[index]):
            out.append(char)
            starts.append(index)
            ends.append(index + 1)


@lru_cache(maxsize=8192)
def _fold(char: str) -> str:
    """Return the normal form of one code point: perhaps nothing, perhaps several characters."""
    if char in _SPELLING:
        return _SPELLING[char]
    category = unicodedata.category(char)
    if category in {"Cf", "Mn", "Me"}:
        return ""  # invisible or combining: it must not split a word
    if char in "\r\u2028\u2029\x0b\x0c\x85":
        return "\n"
    if category == "No":
        return char  # a circled or superscript digit is a mark, not a number
    return "".join(_SIMPLE.get(piece, _SPELLING.get(piece, piece)) for piece in unicodedata.normalize("NFKC", char).lower())


def _replacement(match: re.Match[str]) -> str:
    if match["entity"]:
        reference = match["ref"]
        if reference.startswith("#"):
            code = int(reference[1:])
            return _fold(chr(code)) if 31 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "
        return _ENTITIES[reference]
    if match["tag"]:
        name = match["name"].lower()
        return "\n" if name in _BREAKING_TAGS else "|" if name in _CELL_TAGS else ""
    return ""
