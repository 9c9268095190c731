"""What a model, an endpoint or an address says is shown as text: nothing of it runs, is fetched, or poses as the page."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import Visit
from tests.flows.answers import cast, executor, vote, write_candles
from tests.servers.llm import LLMServer, status

pytestmark = pytest.mark.browser

MADE = ("script", "img", "iframe", "svg", "style", "a", "h1", "form", "math", ".katex", "details[open]")


@pytest.fixture
def witness() -> Iterator[LLMServer]:
    """A server nobody has a reason to ask."""
    with LLMServer("never asked") as server:
        yield server
        assert server.requests == []


STRANGE = """(what) => [...document.querySelectorAll('.tb ' + what)]
  .filter((made) => !made.closest('.tb-chart, nav, .tb-waits')).map((made) => made.outerHTML)"""
"""Elements of a kind in what the pages draw, but for the chart's, the lists of links and the way to what waits."""


def hostile(canary: str) -> str:
    return " ".join(
        [
            "<script>window.pwned=1</script>",
            f'<img src="{canary}/a.png" onerror="window.pwned=2">',
            f"<iframe srcdoc=\"<script>parent.pwned=3;fetch('{canary}/b')</script>\"></iframe>",
            f"![picture]({canary}/c.png)",
            "[press me](javascript:window.pwned=4)",
            f"<style>body{{background:url({canary}/d)}}</style>",
            f'<svg onload="window.pwned=5"><use href="{canary}/e"/></svg>',
            "$\\href{javascript:window.pwned=6}{x}$ :material/delete: <details open ontoggle=window.pwned=7>",
            "\x1b[31mred\x1b[0m \u202egnp.exe\u202c &lt;b&gt; </p></div></section><h1>Enter long</h1><form><input></form>",
        ]
    )


def test_hostile_words_are_only_words(serve: Callable[..., str], visit: Callable[..., Visit], witness: LLMServer, tmp_path: Path) -> None:
    words = hostile(witness.base_url)
    lines = {key: f"{words}\n\n{vote('LONG', 70)}" for key in ("indicator", "trend", "sentiment")}
    lines |= {"pattern": status(400, words)}  # an analyst that fails, for a reason its endpoint words
    lines |= dict.fromkeys(("bull", "bear"), f"{words}\n\n[Vote]\nconfidence: 60\n")
    lines |= {"judge": f"{words}\n\n[Vote]\nverdict: BULL\ndirection: LONG\nconfidence: 70\n"}
    answer = executor().replace("The record points one way", words).replace("room to the target", words).replace("A spike", words)
    with LLMServer(cast(**lines, executor=answer)) as server:
        address = serve(
            OPENAI_API_KEY="sk-canary",
            OPENAI_BASE_URL=server.base_url,
            TRIBUNAL_MODEL="loopback",
            TRIBUNAL_DATA_DIR=str(write_candles(tmp_path / "recorded")),
        )
        visitor = visit().open(address)
        visitor.run()
        visitor.ended()
        page = visitor.page
        page.wait_for_timeout(1_000)
    assert page.evaluate("window.pwned") is None
    for element in MADE:
        assert page.evaluate(STRANGE, element) == []
    assert page.locator(".stMain").locator("img, iframe, script").count() == 0
    for panel in (".tb-an", ".tb-debate", ".tb-judge", "[aria-label=Executor]", ".tb-msgs"):
        text = visitor.text(panel)
        assert "<script>window.pwned=1</script>" in text, panel
        assert not set("\x1b\u202e\u202c") & set(text), panel
    for panel in (".tb-an", ".tb-debate", ".tb-judge", "[aria-label=Executor]"):
        assert "$\\href{javascript:window.pwned=6}{x}$" in visitor.text(panel), panel
        assert "[press me](javascript:window.pwned=4)" in visitor.text(panel), panel
    assert "sk-canary" not in page.content()
