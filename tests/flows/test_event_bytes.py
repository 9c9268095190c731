"""What an events file says, to the byte: three were written before the data of events had types (`events_*.jsonl.gz`; simulated market,
seed 7, 2026-05-16 12:00 UTC). They are read and written again as they are, and a run of today that comes to as much (the same corrections
and lies of a kind) writes the same keys in the same order."""

import gzip
import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.domain.events import Event

HOLDING = {"side": "long", "entry_price": 64000.0, "size": 0.05, "leverage": 3.0, "opened_at": "2026-05-15T12:00:00+00:00"}
ASKED = {
    "entry": ("--seed", "37", "--lies", "0.3", "--depth", "2"),
    "position": ("--seed", "19", "--lies", "0.2", "--position", "position.json"),
    "zh": ("--seed", "19", "--lies", "0.4", "--language", "zh", "--propose"),
}


SINCE = {"min_risk_reward_after_costs", "correct"}
"""Keys that came later."""


def lines_of_earlier(name: str) -> list[str]:
    packed = (Path(__file__).parent / f"events_{name}.jsonl.gz").read_bytes()
    return gzip.decompress(packed).decode().splitlines()


def shape(value: object, *, listed: bool = False) -> object:
    """Keys in their order and kinds of values, without the values. listed: in a list, whose entries differ in kind (a claim is a number or
    a word), as words have it: of those the keys count."""
    if isinstance(value, dict):
        return [(key, shape(each, listed=listed)) for key, each in value.items() if key not in SINCE]
    if isinstance(value, list):
        return "list", sorted({json.dumps(shape(each, listed=True)) for each in value})
    if listed:
        return "value"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def shapes(lines: list[str]) -> dict[str, list[str]]:
    """Node -> the shapes of its events as they first come; how often one is repeated (pieces of a text, corrections) is up to words and
    time. So is in which piece a planted value comes, and whether it is a number or a word: they are one entry of their own."""
    by_node: dict[str, dict[str, None]] = {}
    planted: dict[str, None] = {}
    for row in map(json.loads, lines):
        if row["kind"] == "model.planted":
            planted[json.dumps(shape({**row, "data": {**row["data"], "stated": "", "true": ""}}))] = None
            continue
        is_correction = row["kind"] == "grounding.corrected"  # of a number or of a word: that too is up to what was planted
        told = {**row, "data": {**row["data"], "claimed": "", "actual": "", "deviation": ""}} if is_correction else row
        by_node.setdefault(str(row["node"]), {})[json.dumps([row["kind"], shape(told)])] = None
    return {**{node: list(found) for node, found in by_node.items()}, "planted": list(planted)}


@pytest.mark.parametrize("name", ASKED)
def test_events_of_earlier_versions_are_written_as_they_were(name: str) -> None:
    for line in lines_of_earlier(name):
        row = json.loads(line)
        again = Event.model_validate(row).to_json()
        assert json.dumps({**again, "at": row["at"]}, ensure_ascii=False) == line
        assert list(again) == list(row)


@pytest.mark.parametrize("name", ASKED)
def test_a_run_of_today_writes_the_same_keys_in_the_same_order(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIBUNAL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIBUNAL_PACE", "0")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "position.json").write_text(json.dumps(HOLDING), encoding="utf-8")
    at = ("--feed", "simulated", "--at", "2026-05-16T12:00Z")
    assert main(["decide", "BTC/USDT:USDT", *at, *ASKED[name], "--events", "events.jsonl", "--json"]) == 0
    capsys.readouterr()
    now, then = shapes((tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()), shapes(lines_of_earlier(name))
    assert list(now) == list(then)
    for node in then:
        assert now[node] == then[node], node
