"""The shell with `--language zh`: every command, its help and its mistakes, without an English word beside names."""

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.cli.main import _parser, main
from engine.domain.text.reason import Reason
from engine.shell import words
from tests.latin import NAMES, strange_words

AT = "2026-11-01T08:00:00Z"
Shell = Callable[..., str]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    monkeypatch.setenv("TRIBUNAL_OPERATOR", "op-1")
    monkeypatch.chdir(tmp_path)
    yield
    words.speak("en")


def commands() -> dict[str, argparse.ArgumentParser]:
    (found,) = (action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def typed() -> frozenset[str]:
    """What is typed as it is, in any language: commands, options, their values, and what stands for a value."""
    names = {*"python engine SIGTERM C COMMAND n schema int float MM DD HH SS YYYY PDF Markdown".split()}  # noqa: SIM905 - as below
    for command, parser in commands().items():
        names |= {command, *command.split("-"), *parser.prog.split()}
        for action in parser._actions:
            values = (*map(str, action.choices or ()), str(action.metavar or action.dest.upper()), *action.option_strings)
            names |= {part for text in values for part in re.split("[_:=-]+", text)}
    return frozenset(names)


OF_HELP = frozenset(
    """
    cron Model Context Protocol search download source analysis trend bull judge grounding executor market news sentiment fundamentals macro
    none paper asked alternate wikipedia openalex semantic scholar tavily sec edgar akshare library journal recorded research agent
    value timeframe price symbol state side entry size leverage opened at id text facts unverifiable zh txt LANGUAGE judge Brier
    null post close live stop target first
    """.split()  # noqa: SIM905 - lines of names read better than a list
)
"""Keys, nodes and sources that help names as they are typed."""


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    """Run a command in Chinese; gives what it printed. In the end no words are left that are no names."""
    known, left = NAMES | typed(), dict[str, str]()

    def run(*arguments: str, code: int = 0, names: frozenset[str] = frozenset()) -> str:
        try:
            ended = main([*arguments, "--language", "zh"])
        except SystemExit as early:
            ended = int(early.code or 0)
        out, err = capsys.readouterr()
        assert ended == code, (arguments, out, err)
        for line in (out + err).splitlines():
            left.update(dict.fromkeys(strange_words(line, known | names), f"{arguments[0]}: {line}"))
        return out

    yield run
    assert not left, "\n".join(f"{word}: {line}" for word, line in left.items())


@pytest.mark.parametrize("command", ["", *sorted(commands())])
def test_help_and_mistakes_are_in_chinese(shell: Shell, command: str) -> None:
    asked = [command] if command else []
    assert shell(*asked, "--help", names=OF_HELP).startswith("用法：")
    shell(*asked, "--no-such-option", code=2, names=frozenset({"no", "such", "option"}))


@pytest.mark.full
def test_a_trade_in_chinese(shell: Shell) -> None:
    """A decision that is proposed, edited, approved, moved and closed, and one that is rejected; the switch."""
    shell("check", names=frozenset("GB Python requirements txt streamlit secrets toml auth chmod go rwx".split()))  # noqa: SIM905 - as above
    first, second = proposed(shell)
    shell("edit", first, code=2)
    shell("reject", second, "--why", "太晚")
    assert "已成交" in shell("approve", first)
    shell("approve", first, code=1)
    assert "盈亏" in shell("positions")
    shell("protect", "BTC/USDT:USDT", code=2)
    assert "交易已暂停" in shell("halt", "--why", "测试")
    assert "允许交易" in shell("unhalt")
    shell("close", "BTC/USDT:USDT")
    shell("close", "BTC/USDT:USDT", code=1)
    shell("guard", "--once")


def proposed(shell: Shell) -> list[str]:
    """Return the ids of two proposals that wait."""
    found: list[str] = []
    for seed in range(301, 400):
        text = shell("decide", "BTC/USDT:USDT", "--at", AT, "--propose", "--lies", "0.3", "--seed", str(seed))
        state = shell("proposals", "--limit", "1")
        if "提案" in text and "待签署" in state:
            assert "开多仓" in text or "开空仓" in text
            found.append(state.split()[0])
        if len(found) == 2:
            break
    return found


@pytest.mark.full
def test_runs_in_chinese(shell: Shell) -> None:
    shell("decide", "BTC/USDT:USDT", "--at", AT, "--lies", "0.5")
    run_id = shell("runs").split()[0]
    shell("show", run_id)
    shell("show", "r-1", code=2)
    shell("resume", run_id)
    shell("stop", run_id, code=1)
    shell("fork", run_id, "--from", "judge")
    shell("fork", run_id, "--from", "nobody", code=2, names=OF_HELP | {"nobody", "pattern", "indicator", "aggregator", "bear", "debate"})
    shell("matter", run_id)
    shell("export", run_id, "run.json")
    shell("verify", "run.json")
    bundle = Path("run.json").read_text(encoding="utf-8")
    Path("run.json").write_text(bundle.replace('"signal_', '"signal_no_'), encoding="utf-8")
    assert "重算得" in shell("verify", "run.json", code=1, names=STATE)
    shell("verify")
    shell("prune", "--days", "30")


STATE = frozenset("final action execution result signal no wait entry long short hold".split())  # noqa: SIM905 - as above
"""Fields of a state and their values, where two states are compared."""


@pytest.mark.full
def test_questions_and_texts_in_chinese(shell: Shell) -> None:
    """The other desks, texts, files that are not there."""
    shell("fusion", "AAPL", "--date", "2026-11-20", "--propose", "--lies", "0.3")
    words_of_model = frozenset("post close pre open BULLISH BEARISH NEUTRAL direction confidence".split())  # noqa: SIM905 - as above
    shell("memory", "AAPL", names=words_of_model)
    shell("plan", "--question", "BTC 资金费率是否偏高？", "--at", AT, names=frozenset({"funding"}))
    files = frozenset("library tavily funding rates md open interest liquidations".split())  # noqa: SIM905 - as above
    shell("research", "资金费率由谁支付？", "--no-download", "--sources", "library,tavily", names=files)
    shell("disputes")
    Path("text.jsonl").write_text(json.dumps({"text": "RSI 为 28"}) + '\n{"id": 1, "text": 2}\n', encoding="utf-8")
    shell("ground", "text.jsonl", code=1, names=frozenset({"id", "error", "null"}))
    shell("decide", "BTC/USDT:USDT", "--position", "position.json", code=2)


def test_help_is_in_the_language_of_the_settings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def first_line(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            main([*arguments, "--help"])
        return capsys.readouterr().out.split(maxsplit=1)[0]

    assert first_line() == "usage:"
    assert first_line("--language", "zh") == first_line("runs", "--language=zh") == "用法：python"
    (tmp_path / ".env").write_text("TRIBUNAL_LANGUAGE=zh\n", encoding="utf-8")
    assert first_line("runs") == "用法：python"
    monkeypatch.setenv("TRIBUNAL_LANGUAGE", "en")
    assert first_line("runs") == "usage:"


def test_what_is_seen_is_a_word_that_is_no_name() -> None:
    assert strange_words("20261126-1 已完成 signal_wait USDT finished") == ["signal", "wait", "finished"]
    words.speak("zh")
    assert words.term("signal_wait") == "观望"
    assert Reason("order_is_not_ours", symbol="X", name="a").said_in("zh") == "X：委托 a 不是本系统的，未处理"
