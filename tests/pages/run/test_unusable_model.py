"""A model that cannot be used: its key is refused, or it does not keep to the form of answers. Page and shell say so once, and offer
nothing that cannot work. Over a loopback endpoint.
"""

import os
from collections import Counter
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from engine.api import Engine
from engine.cli.main import main
from pages.frame import shared_engine
from tests.flows.answers import SOUND, asked_role, role_of
from tests.flows.equities.played import sound
from tests.pages.reader import Reader
from tests.pages.started import AT, Start
from tests.servers.llm import Body, LLMServer, Plan

ROLES = {"decision": 8, "equities": 13}
"""How many a run of each desk asks."""
NODES = {"research manager": "research_manager", "risk judge": "risk_judge", "trader": "trader"}


def answer_of(body: Body) -> Plan:
    """A sound answer of a role of either desk."""
    role = asked_role(body)
    if role in SOUND:
        return SOUND[role_of(body)]
    speaks = "debater" in role or "researcher" in role
    return sound("safe" if speaks else NODES.get(role, role))


def ignoring(roles: int, times: int) -> Callable[[Body], Plan]:
    """Sound answers, but for the first `roles` roles that are asked: their first `times` are words without any form."""
    asked: Counter[str] = Counter()

    def answer(body: Body) -> Plan:
        role = asked_role(body)
        asked[role] += 1
        return "I would rather talk about the weather." if role in list(asked)[:roles] and asked[role] <= times else answer_of(body)

    return answer


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
@pytest.mark.parametrize("desk", ROLES)
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


@pytest.mark.full
@pytest.mark.parametrize("desk", ROLES)
def test_a_model_that_ignores_the_form_is_named_with_how_often_and_what_helps(
    start: Start, desk: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-given")
    told = f"the model ignored the answer format in 4 of {ROLES[desk]} roles; a larger model"
    with LLMServer(ignoring(4, 1)) as server:
        app = shown(start, server, desk)
        said = words_of(app)
        assert said.lower().count(told.lower()) == 1
        assert "was asked again" not in said, "said of all of them"
    with LLMServer(ignoring(4, 1)) as server:
        _, err = in_shell(server, desk, monkeypatch, capsys)
        assert f"warning: {told}" in err


@pytest.mark.full
@pytest.mark.parametrize(("desk", "roles"), [("decision", 4), ("equities", 8)])
def test_a_run_that_ends_because_the_model_ignores_the_form_says_so_first(start: Start, desk: str, roles: int) -> None:
    """The equities desk keeps reports without a block: there it ends with the research manager."""
    with LLMServer(ignoring(roles, 99)) as server:
        said = words_of(shown(start, server, desk))
        assert "Not valid: the model ignored the form of answers" in said
        assert ("4 of 4 abstained" in said) == (desk == "decision")
        assert said.count("counts as NEUTRAL 50") == (4 if desk == "equities" else 0)
