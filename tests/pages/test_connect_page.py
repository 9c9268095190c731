"""The page on which a model, a market and an account are connected: what it says before anything is asked, and who may change it."""

import re

import pytest
import streamlit as st

from tests.pages.started import Start, page_of

HAN = re.compile("[\u4e00-\u9fff]")


@pytest.mark.full
def test_it_says_what_is_connected_and_what_leaves_this_machine(start: Start) -> None:
    settings = {"TRIBUNAL_MODEL": "wise-1", "OPENAI_API_KEY": "canary-1", "OPENAI_BASE_URL": "https://models.example/v1"}
    app = start("connect", **settings)
    shown = page_of(app)
    for said in ("wise-1", "models.example", "not tested", "set outside", "Leaves this machine:", "the fact sheet and the speeches"):
        assert said in shown, said
    assert "canary" not in shown + repr(app.session_state)
    app.button(key="connect-open-model").click().run()
    assert "OPENAI_API_KEY、" not in page_of(app)
    assert "set before the program started" in page_of(app)
    assert app.text_input(key="connect-address").disabled, "what the environment sets is shown and cannot be changed"


@pytest.mark.full
def test_a_server_of_this_machine_is_sent_nothing_from_it(start: Start) -> None:
    shown = page_of(start("connect", TRIBUNAL_MODEL="m", OPENAI_BASE_URL="http://127.0.0.1:9/v1"))
    assert "The server is on this machine." in shown
    assert "the fact sheet and the speeches" not in shown


@pytest.mark.full
def test_alerts_work_once_somebody_says_that_a_test_arrived(start: Start) -> None:
    app = start("connect", TRIBUNAL_ALERTS="json://127.0.0.1:9/canary-1")
    shown = page_of(app)
    for said in ("json://•••", "whether it arrives, nobody has said", "No order, no button, no price."):
        assert said in shown, said
    assert "canary" not in shown + repr(app.session_state)
    app.button(key="connect-open-alerts").click().run()
    assert app.text_input(key="connect-alerts-0").disabled, "what the environment sets is shown and cannot be changed"
    assert "connect-alerts-arrived" not in {str(button.key) for button in app.button}, "nothing was sent yet"
    app.button(key="connect-alerts-test").click().run()
    assert "json did not take it" in page_of(app)
    app.button(key="connect-alerts-arrived").click().run()
    assert "nobody has said" not in page_of(app)


def test_nobody_can_change_anything_on_a_server_that_others_reach_without_a_login(start: Start) -> None:
    app = start("connect", TRIBUNAL_PUBLIC_URL="https://desk.example")
    assert "Others can reach this server without a login" in page_of(app)
    assert not [field for field in (*app.text_input, *app.selectbox, *app.number_input) if str(field.key).startswith("connect-")]
    assert {str(button.key) for button in app.button if str(button.key).startswith(("connect-", "check-"))} == {"connect-run"}


@pytest.mark.full
@pytest.mark.parametrize(("named", "may"), [("ann@desk.example", True), ("", True), ("bob@desk.example", False)])
def test_with_a_login_the_operator_alone_changes_connections(start: Start, monkeypatch: pytest.MonkeyPatch, named: str, may: bool) -> None:
    from pages.frame import login

    class Ann(dict[str, object]):
        """Somebody who has logged in."""

    monkeypatch.setattr(login, "asks_login", lambda: True)
    monkeypatch.setattr(st, "user", Ann(is_logged_in=True, email="ann@desk.example"))
    app = start("connect", TRIBUNAL_OPERATOR=named)
    assert ("connect-look-first" in {str(button.key) for button in app.button}) == may


@pytest.mark.full
@pytest.mark.parametrize(("language", "said"), [("en", "the audit chain is intact"), ("zh", "审计链从头到尾完整")])
def test_the_check_shows_its_lines(start: Start, language: str, said: str) -> None:
    app = start("connect", TRIBUNAL_LANGUAGE=language)
    assert said not in page_of(app), "it waits to be asked"
    app.button(key="check-run").click().run()
    assert not app.exception
    (table,) = re.findall(r'tb-check">.*?</table>', page_of(app), re.S)
    assert said in table
    cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td>(.*?)</td>", table, re.S)]
    assert len(cells) == 3 * 18
    assert all(bool(HAN.search(cell)) == (language == "zh") for cell in cells)
