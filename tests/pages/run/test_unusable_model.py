"""A model that cannot be used because its key is refused: page and shell say so once, and offer nothing that cannot work."""

import os

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.cli.main import main
from pages.frame import shared_engine
from tests.pages.reader import Reader
from tests.pages.started import AT, Start
from tests.servers.llm import LLMServer


def run_of(engine: Engine, desk: str) -> str:
    model = "loopback"
    if desk == "decision":
        return engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", at=AT, seed=1, model=model)), 60).run_id
    return engine.wait(engine.start(engine.equities.request("AAPL", seed=1, model=model)), 60).run_id


def shown(start: Start, server: LLMServer, desk: str, **settings: str) -> AppTest:
    app = start(OPENAI_BASE_URL=server.base_url, TRIBUNAL_MODEL="loopback", **{"OPENAI_API_KEY": "sk-given", **settings})
    run_id = run_of(shared_engine.get_engine(), desk)
    if desk == "equities":
        app = app.switch_page("desks/equities/view.py")
    app.query_params["run"] = run_id
    app.run()
    assert not app.exception
    return app


def words_of(app: AppTest) -> str:
    return "\n".join(" ".join(" ".join(Reader(str(each.proto.body)).words).split()) for each in app.main.get("html"))


def in_shell(server: LLMServer, desk: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("TRIBUNAL_HOME", f"{os.environ['TRIBUNAL_HOME']}-of-the-shell")
    asked = ["decide", "BTC/USDT:USDT", "--at", AT] if desk == "decision" else ["fusion", "AAPL"]
    capsys.readouterr()
    assert main([*asked, "--model", "loopback", "--seed", "1"]) == 0
    said = capsys.readouterr()
    return said.out, said.err


@pytest.mark.full
@pytest.mark.parametrize("desk", ["decision", "equities"])
def test_a_key_that_is_refused_is_said_once_and_nothing_is_asked_again(
    start: Start, desk: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with LLMServer(key="sk-right") as server:
        app = shown(start, server, desk)
        said = words_of(app)
        assert "Not valid: the key was refused" in said
        assert said.count("refused the key (401)") == 1
        assert "Connect a model" in said
        assert any('href="./connect?lang=en"' in str(each.proto.body) for each in app.main.get("html"))
        assert "4 of 4 abstained" in said
        assert not [button.key for button in app.button if str(button.key).startswith(("retry-", "again-"))]
        out, err = in_shell(server, desk, monkeypatch, capsys)
        assert out.count("refused the key (401): check OPENAI_API_KEY") == 1
        assert "not valid: " in out
        assert err.count("refused the key (401)") == 1
        app.session_state["language"] = app.query_params["lang"] = "zh"
        chinese = app.run()
        assert "无效：密钥被拒绝" in words_of(chinese)
        assert "refused the key" not in words_of(chinese)
