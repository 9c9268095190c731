"""SEC EDGAR: companies that file in the United States. A company that the question names comes with its newest filings; where it names
none, the full text of filings is searched.

Three services, whose paths do not collide, so that one address may stand for all: company_tickers.json (www), submissions (data) and the
full-text search (efts).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from urllib.parse import quote

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.results import iso_date
from engine.search.sources.source import WebSource, readable
from engine.search.web_client import WebClient

_FORMS: Final = ("10-K", "10-Q", "8-K", "20-F", "40-F", "6-K", "S-1", "DEF 14A")
_SUFFIXES: Final = frozenset(
    {"inc", "corp", "corporation", "co", "company", "ltd", "plc", "the", "holdings", "group", "sa", "nv", "llc", "com"}
)
_WORD: Final = re.compile(r"[A-Za-z0-9&]+")


@dataclass(frozen=True)
class _Company:
    """A filer. cik: its number."""

    cik: int
    ticker: str
    title: str


class SecEdgar(WebSource):
    """base: an address for all three services; None = the real ones."""

    name = "sec_edgar"
    about = (
        "Companies that file with the US SEC: give a company's name or ticker for its data and newest filings (10-K, 10-Q, 8-K), or words "
        "to search the full text of filings."
    )
    who = "SEC EDGAR"
    home = "https://www.sec.gov"
    setting = "TRIBUNAL_SEC_EDGAR_URL"
    spacing_s = 0.15  # it allows ten requests a second

    def __init__(self, web: WebClient, base: str | None) -> None:
        super().__init__(web, base)
        self._data, self._full_text = base or "https://data.sec.gov", base or "https://efts.sec.gov"
        self._companies: Sequence[_Company] = ()

    async def search(self, query: str, limit: int, until: date | None) -> list[Document]:
        try:
            found = await self._by_company(query, limit, until)
        except SearchError as problem:
            try:
                return await self._by_words(query, limit, until)
            except SearchError:
                raise problem from None
        return await self._by_words(query, limit, until) if found is None else found

    async def _by_company(self, query: str, limit: int, until: date | None) -> list[Document] | None:
        """Return the filings of the company that a question names, None where it names none."""
        self._companies = self._companies or await self._ask(f"{self._base}/files/company_tickers.json", _companies)
        company = _named(query, self._companies)
        if company is None:
            return None
        url = f"{self._data}/submissions/CIK{company.cik:010d}.json"
        return await self._ask(url, lambda answer: self._of_company(answer, company, limit, until))

    async def _by_words(self, query: str, limit: int, until: date | None) -> list[Document]:
        asked = {"q": query}
        if until is not None:
            asked |= {"dateRange": "custom", "startdt": "2001-01-01", "enddt": until.isoformat()}
        url = f"{self._full_text}/LATEST/search-index"
        return (await self._ask(url, lambda answer: readable(answer["hits"]["hits"], self._of_hit), asked))[:limit]

    def _of_company(self, answer: Any, company: _Company, limit: int, until: date | None) -> list[Document]:
        """Return the company's filings, newest first; what is known of the company is before each."""
        recent = answer["filings"]["recent"]
        about = _about(answer, company)
        columns = ("accessionNumber", "filingDate", "reportDate", "form", "primaryDocument", "primaryDocDescription")
        found = []
        for accession, filed, period, form, file, words in zip(*(recent[name] for name in columns), strict=True):
            if form not in _FORMS or (until is not None and filed > until.isoformat()):
                continue
            said = f"{about} {form} filed on {filed}" + (f" for the period that ended on {period}." if period else ".")
            found.append(
                Document(
                    source=self.name,
                    title=f"{company.title} ({company.ticker}): {form} of {filed}" + (f", {words}" if words and words != form else ""),
                    url=self._archive(company.cik, accession, file),
                    abstract=said,
                    authors=(company.title,),
                    published_date=iso_date(filed),
                    extra={"cik": company.cik, "ticker": company.ticker, "form": form, "accession": accession, "period": period or None},
                )
            )
        return found[:limit]

    def _of_hit(self, hit: Mapping[str, Any]) -> Document:
        filing = hit["_source"]
        accession, file = str(hit["_id"]).split(":", 1)
        names = ", ".join(" ".join(str(name).split()) for name in filing["display_names"])
        form, filed = str(filing.get("form") or filing.get("file_type") or ""), iso_date(filing.get("file_date"))
        period, cik = filing.get("period_ending"), int(filing["ciks"][0])
        said = f"{names}. {form}, {filing.get('file_description') or 'filing'}, filed on {filed}"
        return Document(
            source=self.name,
            title=f"{names}: {form} of {filed}",
            url=self._archive(cik, accession, file),
            abstract=said + (f" for the period that ended on {period}." if period else "."),
            authors=(names,),
            published_date=filed,
            extra={"cik": cik, "form": form, "accession": accession, "period": period},
        )

    def _archive(self, cik: int, accession: str, file: str) -> str:
        return f"{self._base}/Archives/edgar/data/{cik}/{quote(accession.replace('-', ''), safe='')}/{quote(file)}"


def _companies(answer: Any) -> Sequence[_Company]:
    return [_Company(int(each["cik_str"]), str(each["ticker"]), str(each["title"])) for each in answer.values()]


def _named(query: str, companies: Sequence[_Company]) -> _Company | None:
    """Return the company that a question names: by a ticker in capital letters (or alone), or by its whole name without words such as Inc.;
    of several the longest name."""
    words = _WORD.findall(query)
    lower = [word.lower() for word in words]
    tickers = {word.upper() for word in words if word.isupper() and len(word) > 1} | ({words[0].upper()} if len(words) == 1 else set())
    best: tuple[int, _Company] | None = None
    for company in companies:
        name = [word.lower() for word in _WORD.findall(company.title)]
        name = [word for word in name if word not in _SUFFIXES] or name
        length = len(name) if name and _stands_in(name, lower) else 0
        if company.ticker.upper() in tickers:
            length += 100
        if length and (best is None or length > best[0]):
            best = length, company
    return best[1] if best else None


def _stands_in(name: Sequence[str], words: Sequence[str]) -> bool:
    return any(list(words[at : at + len(name)]) == list(name) for at in range(len(words) - len(name) + 1))


def _about(answer: Mapping[str, Any], company: _Company) -> str:
    """Return what the SEC knows of a company, in a sentence."""
    known = [
        str(answer.get("name") or company.title),
        f"ticker {', '.join(answer.get('tickers') or (company.ticker,))}",
        f"CIK {company.cik}",
        *((f"listed on {', '.join(filter(None, answer['exchanges']))}",) if any(answer.get("exchanges") or ()) else ()),
        *((f"industry {answer['sicDescription']}",) if answer.get("sicDescription") else ()),
        *((f"incorporated in {answer['stateOfIncorporation']}",) if answer.get("stateOfIncorporation") else ()),
        *((f"fiscal year ends {answer['fiscalYearEnd']} (month and day)",) if answer.get("fiscalYearEnd") else ()),
    ]
    return "; ".join(known) + "."
