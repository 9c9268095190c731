"""The journal in a browser: its table is filtered and sorted, its files hold what is shown, and a row opens its run."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from pyarrow import parquet

from engine.api import Engine
from engine.settings import Settings
from tests.browser.conftest import Visit, serving
from tests.conftest import ROOT
from tests.journals import fill

RESULTS = "[...document.querySelectorAll('.tb-jn tbody td:nth-child(4) .v')].map((each) => Number(each.innerText.replace('−', '-')))"
"""The results in R, as the rows have them."""


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[str]:
    """A server with 160 decisions that have come to something, and one whose run is there."""
    home = tmp_path_factory.mktemp("journal") / "home"
    home.mkdir()
    fill(home, 160, every=timedelta(hours=6))
    engine = Engine(Settings(_env_file=None, home=home, pace=0))  # type: ignore[call-arg]
    engine.wait(engine.start(engine.decisions.request("BTC/USDT:USDT", seed=7, at="2026-11-01T08:00:00Z")), 60)
    engine.close()
    with serving(ROOT / "app.py", home) as address:
        yield address


def choose(page: Any, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def saved(page: Any, name: str, folder: Path) -> bytes:
    with page.expect_download() as coming:
        page.get_by_role("button", name=name, exact=True).click()
    file = folder / coming.value.suggested_filename
    coming.value.save_as(file)
    assert file.suffix == f".{name.lower()}"
    return file.read_bytes()


def test_filtered_sorted_saved_and_a_run_opened(journal: str, visit: Callable[..., Visit], tmp_path: Path) -> None:
    visitor = visit(width=1440)
    page = visitor.page
    page.goto(f"{journal}/journal?lang=en")
    expect(page.get_by_text("1–50 of 161")).to_be_visible()
    expect(page.locator(".tb-curve")).to_have_count(2)
    expect(page.locator(".tb-cal .p").first).to_be_visible()
    choose(page, "Outcome", "stop")
    expect(page.get_by_text("1–50 of 161")).to_have_count(0)
    choose(page, "Sort by", "least R first")
    page.wait_for_function(
        f"(() => {{ const all = {RESULTS}; return all.length && all.every((r, i) => r < 0 && (!i || all[i - 1] <= r)) }})()"
    )
    expect(page.locator(".tb-jn th[aria-sort=ascending]")).to_have_text("R ▲")
    shown = page.evaluate(RESULTS)
    rows = list(csv.DictReader(io.StringIO(saved(page, "CSV", tmp_path).decode())))
    assert {row["exit_reason"] for row in rows} == {"stop"}
    results = [float(row["r"]) for row in rows]
    assert results == sorted(results)
    assert [round(each, 2) for each in results[: len(shown)]] == shown
    assert [row["r"] for row in json.loads(saved(page, "JSON", tmp_path))] == results
    assert parquet.read_table(io.BytesIO(saved(page, "Parquet", tmp_path))).column("r").to_pylist() == results
    page.goto(f"{journal}/journal?lang=en&outcome=stop&sort=worst")
    page.wait_for_function(f"{RESULTS}[0] === {shown[0]}")  # the address has what was chosen
    page.goto(f"{journal}/journal?lang=en")
    page.locator(".tb-jn tbody tr a").first.click()
    page.wait_for_url("**run=*")
    page.wait_for_selector(".tb-verdict .word")
    phone = visit(width=390, theme="dark")
    phone.page.goto(f"{journal}/journal?lang=zh")
    expect(phone.page.get_by_text("校准：70 是否真值 70？")).to_be_visible()
    assert not phone.scrolls_sideways()
