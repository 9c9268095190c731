"""What a dossier lets a desk know at an instant: nothing dated later, nothing undated that was fetched later."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.research.dossier import Dossier, DossierDocument, DossierStatement
from engine.domain.research.publication import is_known, published_between, published_day

FETCHED = datetime(2026, 5, 16, 12, tzinfo=UTC)
DAYS = st.dates(date(2020, 1, 1), date(2027, 1, 1))
DATES = st.one_of(st.none(), DAYS.map(str), DAYS.map(lambda day: f"{day:%Y-%m}"), DAYS.map(lambda day: f"{day:%Y}"), st.just("soon"))


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2024", date(2024, 12, 31)),
        ("2024-02-29", date(2024, 2, 29)),
        ("2024-02-29T23:30:00-05:00", date(2024, 3, 1)),
        ("2023-02-29", None),
        ("last week", None),
        (None, None),
    ],
)
def test_the_day_by_which_a_document_was_published(written: str | None, day: date | None) -> None:
    assert published_day(written) == day


@given(DATES, st.datetimes(datetime(2019, 1, 1), datetime(2027, 1, 1)))
def test_what_is_known_was_fetched_or_wholly_published_by_then(published: str | None, instant: datetime) -> None:
    at = instant.replace(tzinfo=UTC)
    span = published_between(published)
    if is_known(published, FETCHED, at):
        assert at >= FETCHED or (span is not None and span[1] <= at)
        assert span is None or span[0] <= at
    elif span is not None:
        assert span[1] > at, "all that is over is known"


@pytest.mark.full
@given(st.lists(DATES, min_size=1, max_size=5), st.integers(-2000, 300))
def test_statements_go_with_their_documents(published: list[str | None], days: int) -> None:
    at = FETCHED + timedelta(days=days)
    documents = tuple(DossierDocument(n=n, source="s", title="t", published_date=each) for n, each in enumerate(published, 1))
    statements = tuple(
        DossierStatement(text=f"{n}", citations=(n, 1), dated=str(day) if (day := published_day(published[n - 1])) else None)
        for n in range(1, len(published) + 1)
    )
    dossier = Dossier(run_id="r", flow="research", question="q", at=FETCHED, fetched_at=FETCHED, statements=statements, documents=documents)
    known = dossier.known_at(at)
    numbers = {each.n for each in known.documents}
    assert all(is_known(each.published_date, FETCHED, at) for each in known.documents)
    assert all(numbers >= set(each.citations) for each in known.statements)
    assert known.known_at(at) == known
    left = dossier.left_out_at(at)
    assert sum(left.values()) == len(statements) - len(known.statements), "every one that stays out has one reason"
    assert left["later"] == 0 or any(each is not None for each in published), "what has no date is not dated later"
    assert known.known_at(at - timedelta(days=1)) == dossier.known_at(at - timedelta(days=1)), "later knows no less"
