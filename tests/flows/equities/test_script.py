"""The prose of the scripted roles: nothing that the tools did not answer."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from engine.desks.equities.answers import read_view
from engine.desks.equities.script import WORDS, equities_voices
from engine.domain.text.language import LANGUAGES, Language
from engine.llm.protocol import ModelCall
from tests.flows.equities.played import play, told

if TYPE_CHECKING:
    from engine.api import Engine

NEWS = '{n} headlines\n<said by="news">\n{titles}\n</said>'
MACRO = "cpi_yoy_pct (US): 2023-12-31 1.7, 2024-01-31 {cpi}\npmi_manufacturing (US): 2023-12-31 48.5, 2024-01-31 {pmi}"
NONE = {
    "search_news": "no news is known: nothing was published",
    "get_macro": "no macro figure is known: the recordings hold no macro figures",
    "get_sector": "no sector is known: a company has no constituents",
    "get_constituent_returns": "no closes of constituents are known: too few sessions",
    "get_fundamentals": "no report is known: nothing was filed by then",
}


def titled(*titles: str) -> str:
    """What `search_news` answers for these titles."""
    lines = "\n".join(f"#{n} 2024-03-04 21:35 UTC · Simulated Wire · {title}" for n, title in enumerate(titles, 1))
    return NEWS.format(n=len(titles), titles=lines)


def reports(role: str, language: Language, *answers: str) -> str:
    """What a scripted analyst reports on these answers of its tools, with lies 0."""
    history: list[Mapping[str, object]] = [{"role": "assistant", "content": ""}, {"role": "assistant", "content": ""}]
    history += [{"role": "tool", "content": answer} for answer in answers]
    call = ModelCall(role, language, f"Role: {role}", "Company: X", messages=tuple(history), context="c0ffee")  # type: ignore[arg-type]
    return equities_voices()[role](call).text


def says(name: str, role: str, text: str, language: Language) -> bool:
    """Whether a report has one of the wordings of a name in it, whatever is filled in."""
    words = WORDS[language]
    patterns = [re.escape(each.replace("{topic}", words.text(f"topic.{role}"))) for each in words[f"report.{name}"]]
    return any(re.search(re.sub(r"\\{\w+\\}", ".+", each), text, re.IGNORECASE) for each in patterns)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_view_on_the_news_follows_its_headlines(language: Language) -> None:
    good = read_view(reports("news", language, titled("X wins a large order", "X raises its outlook", "X meets investors")))
    bad = read_view(reports("news", language, titled("X falls 3.8 % on the day", "X faces a probe", "X meets investors")))
    plain = reports("news", language, titled("X meets investors", "X presents its plans"))
    assert (good.direction, bad.direction) == ("BULLISH", "BEARISH")
    assert min(good.confidence, bad.confidence) > 60
    assert (read_view(plain).direction, read_view(plain).confidence) == ("NEUTRAL", 50)
    assert says("titles", "news", plain, language)
    assert not says("no_news", "news", plain, language)
    silent = reports("news", language, NONE["search_news"])
    assert says("no_news", "news", silent, language)
    assert not says("titles", "news", silent, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_moved_in_the_economy_is_said_as_the_tool_gave_it(language: Language) -> None:
    moves = {"en": ("consumer price inflation rose", "the manufacturing PMI fell"), "zh": ("消费价格同比上升", "制造业景气指数下降")}
    text = reports("macro", language, MACRO.format(cpi="1.8", pmi="46.9"))
    assert all(each in text for each in moves[language])
    assert read_view(text).direction == "BEARISH"
    assert not says("nothing", "macro", text, language)
    assert read_view(reports("macro", language, MACRO.format(cpi="1.6", pmi="51.0"))).direction == "BULLISH"
    sectors = "average return over 20 sessions, percent\nTechnology: 2.90 (3 companies)\nEnergy: -0.85 (1 companies)"
    text = reports("sector", language, sectors, "return over 5 sessions, percent\nconstituents = 7\nadvancing = 2\nJNJ: 2.89")
    best, worst = ("Technology", "Energy") if language == "en" else ("科技", "能源")
    assert text.index(best) < text.index(worst)
    assert read_view(text).direction == "BEARISH"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("role", "tools"),
    [("macro", ["get_macro"]), ("sector", ["get_sector", "get_constituent_returns"]), ("fundamentals", ["get_fundamentals"])],
)
def test_that_there_is_no_data_is_said_only_where_no_tool_gave_any(language: Language, role: str, tools: list[str]) -> None:
    text = reports(role, language, *(NONE[tool] for tool in tools))
    assert says("nothing", role, text, language)
    assert read_view(text).confidence == 50


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("symbol", ["^GSPC", "AAPL", "600519.SH"])
def test_in_a_whole_run_no_analyst_denies_what_its_tools_answered(engine: "Engine", language: Language, symbol: str) -> None:
    state, events = play(engine, symbol, language=language)
    for role, record in state["analysts"].items():
        answers = [data["content"] for data in told(events, "tool.answered") if data["analyst"] == role]
        data = [each for each in answers if not each.startswith(("no ", "0 headlines", "only "))]
        assert says("nothing", role, record["report"], language) == (bool(answers) and not data)
        figures = dict(re.findall(r"^(\w+) \([A-Z]+\): .*?(\S+ \S+, \S+ \S+)$", "\n".join(answers), re.MULTILINE))
        assert all(WORDS[language].text(f"name.{key}") in record["report"] for key in figures)
