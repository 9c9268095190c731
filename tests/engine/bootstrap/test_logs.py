"""The log of a process: lines that name their run and node, without secrets, in either form."""

import json
import logging
from collections.abc import Iterator

import pytest
from structlog.contextvars import bound_contextvars

from engine.agents.watch import watch
from engine.bootstrap.logs import LOGGERS, log_to_stderr
from engine.brokers.ccxt.settings import ExchangeSettings
from engine.settings import Settings

SECRET = "canary-c0ffee-42"
LOG = logging.getLogger("engine.somewhere")


@pytest.fixture(autouse=True)
def _leave_no_handler() -> Iterator[None]:
    before = {name: list(logging.getLogger(name).handlers) for name in LOGGERS}
    for name in LOGGERS:
        logging.getLogger(name).handlers.clear()
    yield
    for name, handlers in before.items():
        logging.getLogger(name).handlers[:] = handlers


def log(form: str) -> None:
    log_to_stderr(Settings(_env_file=None, log=form), [ExchangeSettings(_env_file=None, api_secret=SECRET)])


def nothing(*_: object) -> None:
    pass


def test_a_plain_line_names_its_run_and_its_node_and_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    log("plain")
    with bound_contextvars(run="run-7"), watch(nothing, "judge", "debate"):
        LOG.warning("the venue said %s", "no\n\x1b[31mnever \u202e")
    LOG.warning("nothing is going on")
    LOG.info("not worth a line")
    first, second = capsys.readouterr().err.splitlines()
    assert first.partition(" ")[2].startswith("warning engine.somewhere: the venue said no ")
    assert first.endswith(" run=run-7 node=judge")
    assert first.isprintable()
    assert second.endswith("engine.somewhere: nothing is going on")


def test_a_json_line_has_the_same_in_fields(capsys: pytest.CaptureFixture[str]) -> None:
    log("json")
    with bound_contextvars(run="run-7"), watch(nothing, "bull", "debate"):
        try:
            raise KeyError("x")
        except KeyError:
            LOG.exception("it broke")
    told = json.loads(capsys.readouterr().err)
    assert {name: told[name] for name in ("event", "level", "logger", "run", "node")} == {
        "event": "it broke",
        "level": "error",
        "logger": "engine.somewhere",
        "run": "run-7",
        "node": "bull",
    }
    assert "KeyError" in told["exception"]
    assert told["timestamp"].endswith("Z")


@pytest.mark.parametrize("form", ["plain", "json"])
def test_no_secret_of_the_settings_is_written(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    log(form)
    log_to_stderr(Settings(_env_file=None, log=form))  # another engine of the process knows of no secret
    try:
        raise ValueError(f"signed with {SECRET}")
    except ValueError:
        LOG.exception("refused: %s", SECRET)
    told = capsys.readouterr().err
    assert "refused: [hidden]" in told
    assert SECRET not in told
