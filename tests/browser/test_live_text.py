"""Live text: words come by the stream while the page asks for nothing, and by polling where the stream is cut or kept back; they are text
nodes that stay; a reader who has left the end of a text is left alone."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Route

from tests.browser.conftest import Visit
from tests.browser.layout.boxes import QUIET, SHIFTS
from tests.browser.test_hostile_text import hostile
from tests.flows.answers import cast, vote, write_candles
from tests.servers.llm import LLMServer

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

Come = Callable[..., Visit]
STREAM = re.compile(r"/runs/[^/]+/events")
LONG = " ".join(f"Sentence {number} says that RSI 48.6 and price 78,034.2 are near, and goes on." for number in range(120))
DRAWN = "Number(document.querySelector('.tb-an .indicator [data-live]')?.dataset.at ?? 0)"
"""How much of the text was there when Streamlit drew it last."""
WRITES = "document.querySelector('.tb-an .indicator [data-live]')?.textContent.length ?? 0"


@pytest.fixture(scope="module")
def canary() -> Iterator[LLMServer]:
    """A server nobody has a reason to ask."""
    with LLMServer("never asked") as server:
        yield server
        assert server.requests == []


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], canary: LLMServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A desk whose analysts write for about half a minute, words that would be more."""
    words = f"{hostile(canary.base_url)}\n\n- one **bold** item\n- another\n\n{LONG}\n\n{vote('LONG', 70)}"
    with LLMServer(cast(**dict.fromkeys(("indicator", "trend", "sentiment", "pattern"), words)), tokens_per_s=25) as server:
        settings = {"OPENAI_API_KEY": "sk-canary", "OPENAI_BASE_URL": server.base_url, "TRIBUNAL_MODEL": "loopback"}
        yield serve(**settings, TRIBUNAL_DATA_DIR=str(write_candles(tmp_path_factory.mktemp("live") / "recorded")))


def test_words_come_by_themselves_and_what_has_been_written_stays(address: str, visit: Come) -> None:
    visitor = visit(width=1440)
    page = visitor.page
    page.add_init_script(SHIFTS)
    visitor.open(address)
    page.wait_for_function(QUIET)
    visitor.run()
    page.wait_for_function(f"{WRITES} > 1200")
    page.wait_for_function(QUIET)
    page.evaluate("window.shifts = [], window.kept = document.querySelector('.tb-an .indicator [data-live] p').firstChild")
    before, drawn = page.evaluate(WRITES), page.evaluate(DRAWN)
    box = "document.querySelector('.tb-an .indicator .txt')"
    page.wait_for_function(f"{box}.scrollHeight - {box}.scrollTop - {box}.clientHeight < 8")  # the end of a text is followed
    page.evaluate(f"{box}.scrollTop = 20")
    page.wait_for_function(f"{WRITES} > {before} + 250")
    assert page.evaluate(f"{box}.scrollTop") == 20, "a reader who has left the end stays where they read"
    page.evaluate(f"{box}.scrollTop = {box}.scrollHeight")
    page.wait_for_function(f"{WRITES} > {before} + 400")
    page.wait_for_function(f"{box}.scrollHeight - {box}.scrollTop - {box}.clientHeight < 8")
    assert page.evaluate(DRAWN) == drawn, "nothing was drawn for it"
    assert page.evaluate("window.kept.isConnected"), "what has been written is not drawn again"
    assert sum(value for value, *_ in page.evaluate("window.shifts")) < 0.001
    seats = "[...document.querySelectorAll('[data-live]')]"
    kinds = page.evaluate(f"[...new Set({seats}.flatMap((seat) => [...seat.querySelectorAll('*')].map((each) => each.tagName)))].sort()")
    assert set(kinds) <= {"BR", "LI", "P", "SPAN", "STRONG", "UL"}, "a word is never an element"
    assert page.evaluate("window.pwned") is None
    carets = page.evaluate(f"{seats}.map((seat) => seat.querySelectorAll('.tb-caret').length)")
    assert len(carets) >= 4, "in every card, and beside them where the bar follows a speaker"
    assert set(carets) == {1}
    assert page.evaluate(f"{seats}.some((seat) => seat.closest('[aria-live], [role=log], [role=status], [role=alert]'))") is False
    shown, whole = visitor.text(".tb-an .indicator [data-live]"), hostile("")
    assert "<script>window.pwned=1</script>" in shown
    assert "\u202e" in whole
    assert "\u202e" not in shown


@pytest.mark.parametrize("how", ["cut", "kept back"])
def test_without_a_stream_the_page_polls_and_finds_its_way_back(address: str, visit: Come, how: str) -> None:
    visitor = visit(width=1440)
    page = visitor.page
    held = list[Route]()

    def closed(route: Route) -> None:
        held.append(route)
        if how == "cut":
            route.abort()  # else nothing is answered, as by a proxy that collects an answer until it ends

    page.route(STREAM, closed)
    visitor.open(address)
    visitor.run()
    page.wait_for_function(f"{WRITES} > 300")
    drawn = page.evaluate(DRAWN)
    page.wait_for_function(f"{DRAWN} > {drawn} + 100")
    assert held
    page.unroute(STREAM, closed)
    page.wait_for_function(f"{WRITES} > {DRAWN} + 200")  # words come by themselves again
    visitor.forgive("ERR_FAILED")  # each try that was cut
