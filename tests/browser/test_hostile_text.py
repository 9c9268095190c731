"""What a model writes is shown as text: nothing of it runs, nothing of it is fetched, nothing of it poses as the page."""

from collections.abc import Callable

import pytest

from tests.browser.conftest import Visit
from tests.flows.answers import cast, executor, vote
from tests.servers.llm import LLMServer, refused_url

pytestmark = pytest.mark.browser


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
            "\x1b[31mred\x1b[0m \u202egnp.exe\u202c &lt;b&gt; </p></div></section><h1>Enter long</h1>",
        ]
    )


def test_hostile_words_are_only_words(serve: Callable[..., str], visit: Callable[..., Visit]) -> None:
    with LLMServer("never asked") as witness:
        canary = witness.base_url
        words = hostile(canary)
        lines = {key: f"{words}\n\n{vote('LONG', 70)}" for key in ("indicator", "trend", "sentiment", "pattern")}
        lines |= dict.fromkeys(("bull", "bear"), f"{words}\n\n[Vote]\nconfidence: 60\n")
        lines |= {"judge": f"{words}\n\n[Vote]\nverdict: BULL\ndirection: LONG\nconfidence: 70\n"}
        lines |= {"executor": executor("WAIT").replace("The record points one way", words)}
        with LLMServer(cast(**lines)) as server:
            address = serve(OPENAI_API_KEY="sk-canary", OPENAI_BASE_URL=server.base_url, TRIBUNAL_MODEL="loopback")
            visitor = visit().open(address)
            visitor.run()
            visitor.ended()
            page = visitor.page
            page.wait_for_timeout(1_000)
            assert page.evaluate("window.pwned") is None
            for element in ("script", "img", "iframe", "svg", "style", "a[href^='javascript']", "h1", "details[open]"):
                found = "(what) => [...document.querySelectorAll('.tb ' + what)].filter((made) => !made.closest('.tb-chart')).length"
                assert page.evaluate(found, element) == 0, element
            for panel in (".tb-an", ".tb-debate", ".tb-judge"):
                assert "<script>window.pwned=1</script>" in page.locator(panel).first.text_content()
            assert "sk-canary" not in page.content()
        assert witness.requests == []


def test_a_dead_endpoint_is_said_on_the_page(serve: Callable[..., str], visit: Callable[..., Visit]) -> None:
    address = serve(OPENAI_API_KEY="sk-canary", OPENAI_BASE_URL=refused_url(), TRIBUNAL_MODEL="loopback")
    visitor = visit().open(address)
    visitor.page.get_by_role("button", name="Run a decision").click()
    visitor.page.get_by_text("nothing answers at").first.wait_for()
    assert "sk-canary" not in visitor.page.content()
