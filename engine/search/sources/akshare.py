"""Mainland Chinese companies through akshare: profile (cninfo) and news (Eastmoney) of a company that the question names.

akshare is optional, asks websites as it likes and gives tables of pandas; every call of it has a thread and a deadline of its own.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from engine.domain.calls.foreign_call import foreign_call
from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.domain.text.reason import Reason
from engine.search.results import iso_date
from engine.search.sources.source import Source

_CODE: Final = re.compile(r"(?<!\d)(?:SH|SZ|BJ|sh|sz|bj)?(\d{6})(?!\d)")
_ABOUT: Final = ("主营业务", "机构简介", "经营范围")
_PLAIN: Final = ("公司名称", "英文名称", "所属市场", "所属行业", "法人代表", "注册资金", "成立日期", "上市日期", "官方网站")
_NAMES_S: Final = 86_400.0  # how long the list of listed companies is believed


class Akshare(Source):
    """library: gives the module, or what has its functions; it is imported in the thread of the first call. clock:
    seconds that only go forward."""

    name = "akshare"
    about = "Companies listed in mainland China: give the Chinese short name or the six digits of the code for profile and newest news."

    def __init__(self, library: Callable[[], Any], deadline_s: float, clock: Callable[[], float]) -> None:
        self._library, self._deadline_s, self._clock = library, deadline_s, clock
        self._names: Mapping[str, str] = {}
        self._names_at = 0.0
        self._reading = asyncio.Lock()

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        """See the protocol. Raises SearchError too where the question names no company that is listed in the mainland."""
        code = await self._code(query)
        (profile, why), (news, _) = await asyncio.gather(
            self._tried("the company's profile", lambda library: library.stock_profile_cninfo(symbol=code)),
            self._tried("the company's news", lambda library: library.stock_news_em(symbol=code)),
        )
        if profile is None and news is None:
            raise SearchError(why)
        found = [_profile(row, code) for row in (profile or ())[:1]]
        dated = sorted((_news(row, code) for row in news or ()), key=lambda each: each.published_date or "", reverse=True)
        return [*found, *dated][:limit]

    async def _code(self, query: str) -> str:
        """Return the code of the company that a question names: its six digits, or the longest name of a listed company in it."""
        if stated := _CODE.search(query):
            return stated[1]
        async with self._reading:
            if not self._names or self._clock() - self._names_at > _NAMES_S:
                rows = await self._records("the list of companies", lambda library: library.stock_info_a_code_name())
                self._names = {"".join(str(row["name"]).split()): str(row["code"]) for row in rows}
                self._names_at = self._clock()
        text = "".join(query.split())
        named = max((name for name in self._names if name and name in text), key=len, default=None)
        if named is None:
            raise SearchError(Reason("no_company_listed_in_mainland_china"))
        return self._names[named]

    async def _tried(self, what: str, call: Callable[[Any], Any]) -> tuple[Sequence[Mapping[str, Any]] | None, str]:
        """Return the rows of a table, or None and why there are none: one website may fail without the other."""
        try:
            return await self._records(what, call), ""
        except SearchError as problem:
            return None, str(problem)

    async def _records(self, what: str, call: Callable[[Any], Any]) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a table."""

        def read() -> Sequence[Mapping[str, Any]]:
            table = call(self._library())
            return [] if table is None else list(table.to_dict("records"))

        return await foreign_call(f"akshare, asked for {what},", read, self._deadline_s, SearchError)


def _profile(row: Mapping[str, Any], code: str) -> Document:
    stated = [f"{name}：{row[name]}" for name in (*_PLAIN, *_ABOUT) if _is_stated(row.get(name))]
    short = row.get("A股简称") if _is_stated(row.get("A股简称")) else row.get("公司名称")
    site = str(row.get("官方网站") or "").strip()
    return Document(
        source=Akshare.name,
        title=f"{short}（{code}）公司概况",
        url=site if site.startswith(("http://", "https://")) else "",
        abstract="\n".join(stated),
        authors=("巨潮资讯",),
        extra={"code": code},
    )


def _news(row: Mapping[str, Any], code: str) -> Document:
    return Document(
        source=Akshare.name,
        title=str(row["新闻标题"]),
        url=str(row.get("新闻链接") or ""),
        abstract=str(row.get("新闻内容") or ""),
        authors=(str(row["文章来源"]),) if _is_stated(row.get("文章来源")) else (),
        published_date=iso_date(row.get("发布时间")),
        extra={"code": code},
    )


def _is_stated(value: Any) -> bool:
    return value is not None and str(value).strip() not in {"", "nan", "NaT", "None", "-"}
