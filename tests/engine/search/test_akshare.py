"""Companies of mainland China, out of answers of the shape that akshare 1.19 gives."""

import threading
import time
from typing import Any

import pandas as pd
import pytest

from engine.search.sources.akshare import Akshare


class Library:
    """The functions of akshare that are asked. broken: names of those that fail as libraries of websites do."""

    def __init__(self, *broken: str) -> None:
        self.broken, self.called = broken, list[str]()

    def _note(self, name: str) -> None:
        self.called.append(name)
        assert threading.current_thread() is not threading.main_thread()
        if name in self.broken:
            raise KeyError("data")

    def stock_info_a_code_name(self) -> Any:
        self._note("names")
        rows = [("000001", "平安银行"), ("600519", "贵州茅台"), ("002594", "比亚迪"), ("000858", "五 粮 液")]
        return pd.DataFrame(rows, columns=["code", "name"])

    def stock_profile_cninfo(self, symbol: str) -> Any:
        self._note("profile")
        row = {
            "公司名称": "比亚迪股份有限公司",
            "A股代码": symbol,
            "A股简称": "比亚迪",
            "所属行业": "汽车制造业",
            "官方网站": "www.byd.com.cn",
        }
        return pd.DataFrame([{**row, "主营业务": "汽车、电池。", "机构简介": float("nan")}])

    def stock_news_em(self, symbol: str) -> Any:
        self._note("news")
        rows = [("十月销量", "十月销量的内容", "2025-11-02 09:30:00", "证券时报", "http://finance.example/1"),
                ("三季报", "三季报的内容", "2025-10-31 20:00:00", "财联社", "http://finance.example/2")]  # fmt: skip
        return pd.DataFrame(rows, columns=["新闻标题", "新闻内容", "发布时间", "文章来源", "新闻链接"]).iloc[::-1]


def _source(library: Any, deadline_s: float = 10.0) -> Akshare:
    return Akshare(lambda: library, deadline_s, time.monotonic)


@pytest.mark.parametrize("question", ["比亚迪", "比亚迪公司的基本情况", "SZ002594 怎么样", "002594"])
async def test_a_company_is_found_by_its_name_or_code_with_profile_and_newest_news_first(question: str) -> None:
    profile, newest, older = await _source(Library()).search(question, 10, None)
    assert profile.title == "比亚迪（002594）公司概况"
    assert "所属行业：汽车制造业" in profile.abstract
    assert "nan" not in profile.abstract
    assert (newest.title, newest.published_date, older.published_date) == ("十月销量", "2025-11-02", "2025-10-31")
    assert _source(Library()).download_address(newest) == "http://finance.example/1"
