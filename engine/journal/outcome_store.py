"""Outcomes of decisions in the journal. Blocking. Raises StoreError.

A row is written with the end of its run, unless that is a demo, and gets its figures later. One that is final is never written again, nor
taken away: what is summed over those is kept in memory for as long as there are not more of them.
"""

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, get_args

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, insert, or_, select, update

from engine.domain.calibration import Cases
from engine.domain.ended import Ended
from engine.domain.market.instrument import FeedName
from engine.domain.outcome import (
    AnswerGroup,
    DecisionOutcome,
    FoundLines,
    JournalFilter,
    JournalLine,
    JournalSummary,
    PersonGroup,
    Total,
)
from engine.domain.proposal import Planned
from engine.domain.run import RunRecord
from engine.journal.tables import OUTCOMES, PROPOSALS, RUNS

_WITH_ANSWER = OUTCOMES.outerjoin(PROPOSALS, PROPOSALS.c.run_id == OUTCOMES.c.run_id)
_ANSWER = func.coalesce(PROPOSALS.c.state, OUTCOMES.c.answer)
"""How a proposal is now; `outcomes.answer` is how it was when its outcome was last looked at."""
_SORTS: Final[Mapping[str, ColumnElement[Any]]] = {
    "time": OUTCOMES.c.created_at,
    "symbol": OUTCOMES.c.subject,
    "confidence": OUTCOMES.c.confidence,
    "result": OUTCOMES.c.pnl_pct,
    "r": OUTCOMES.c.r,
}
_MACHINE_R = func.coalesce(OUTCOMES.c.machine_r, OUTCOMES.c.r)
_MACHINE_PNL = func.coalesce(OUTCOMES.c.machine_pnl_pct, OUTCOMES.c.pnl_pct)
_COUNTED = (OUTCOMES.c.is_final == 1, OUTCOMES.c.is_entry == 1, OUTCOMES.c.is_original == 1)
"""Entries that are over. Runs that were made from another on the same inputs are in no figure."""
_MOST_WORDS: Final = 8
_FOLLOWED: Final = ("order", "shadow")
_KNOWN_AT = func.coalesce(OUTCOMES.c.known_at, OUTCOMES.c.ended_at)


def add_row(connection: Connection, record: RunRecord, end: Ended) -> None:
    """Write the row of a run that has just ended, in the transaction of its end. None for a run that orders nothing, and for a demo: its
    account is emptied for the next one, and what comes of it proves nothing."""
    request, state = record.request, end.state
    account, origin = request.account_ref, request.origin
    if account is None or account.starts_over:
        return
    connection.execute(
        insert(OUTCOMES).values(
            run_id=record.run_id,
            created_at=record.created_at.isoformat(),
            flow=request.flow,
            subject=request.subject[:200],
            model=request.model,
            timeframe=request.candles,
            feed=account.feed,
            language=request.language,
            plants_lies=int(request.plants_lies),
            action=state.get("final_action") or state.get("trader_action"),
            confidence=end.confidence,
            is_original=int(origin is None or origin.fresh),
            features=json.dumps(end.features, separators=(",", ":")) if end.features else None,
        )
    )


@dataclass(frozen=True)
class SeenOutcome:
    """How a decision was left when its outcome was last looked at. action: in the words of the state. planned: what it would be ordered as,
    as_of: how far its market was known, answer: the state of its proposal; None before the first look. ended_at: when what was followed
    ended."""

    action: str
    planned: Planned | None
    as_of: datetime | None
    answer: str | None
    ended_at: datetime | None


class OutcomeStore:
    """Over the journal's database. talking: opens a transaction (`Journal`)."""

    def __init__(self, talking: Callable[[str], AbstractContextManager[Connection]]) -> None:
        self._talking = talking
        self._kept: dict[Hashable, tuple[Hashable, Sequence[Row[Any]]]] = {}

    def _rows(self, connection: Connection, query: Select[Any], name: Hashable, state: Hashable) -> Sequence[Row[Any]]:
        """Return the rows of a query; it is asked again only when `state`, all that it depends on, is another."""
        known = self._kept.get(name)
        if known is None or known[0] != state:
            known = self._kept[name] = (state, connection.execute(query).all())
        return known[1]

    def unfinished(self, limit: int, after: str = "") -> list[str]:
        """Return decisions whose outcome is not final, in the order of their ids. after: the last one that was looked at."""
        query = select(OUTCOMES.c.run_id).where(OUTCOMES.c.is_final == 0, OUTCOMES.c.run_id > after)
        with self._talking("read outcomes from") as connection:
            return list(connection.execute(query.order_by(OUTCOMES.c.run_id).limit(limit)).scalars())

    def seen(self, run_id: str) -> SeenOutcome | None:
        """Return how a decision was left when its outcome was last looked at; None for a run that decided nothing."""
        columns = [OUTCOMES.c[name] for name in ("action", "planned", "as_of", "answer", "ended_at")]
        query = select(*columns).where(OUTCOMES.c.run_id == run_id)
        with self._talking("read outcomes from") as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        planned = Planned.model_validate_json(row.planned) if row.planned else None
        as_of, ended_at = (datetime.fromisoformat(each) if each else None for each in (row.as_of, row.ended_at))
        return SeenOutcome(str(row.action), planned, as_of, row.answer, ended_at)

    def keep(self, outcome: DecisionOutcome, planned: Planned | None, answer: str | None) -> bool:
        """Write an outcome, unless a final one is there already: False then. planned: kept for the next look."""
        came, machine = outcome.came, outcome.machine
        ends = [each.ended_at for each in (came, machine) if each is not None and each.ended_at is not None]
        values = {
            "is_final": int(outcome.is_final),
            "is_entry": int(outcome.is_entry),
            "is_edited": int(outcome.is_edited),
            "decided_at": utc_text(outcome.decided_at),
            "as_of": outcome.as_of.isoformat() if outcome.as_of is not None else None,
            "ended_at": utc_text(came.ended_at) if came.ended_at is not None else None,
            "known_at": utc_text(max(ends)) if ends and outcome.is_final else None,
            "followed": outcome.followed,
            "exit_reason": came.exit_reason,
            "pnl_pct": came.pnl_pct,
            "r": came.r,
            "machine_pnl_pct": machine.pnl_pct if machine is not None else None,
            "machine_r": machine.r if machine is not None else None,
            "answer": answer,
            "planned": planned.model_dump_json() if planned is not None and not outcome.is_final else None,
            "body": outcome.model_dump_json(),
        }
        with self._talking("write an outcome to") as connection:
            mine = (OUTCOMES.c.run_id == outcome.run_id, OUTCOMES.c.is_final == 0)
            return connection.execute(update(OUTCOMES).where(*mine).values(values)).rowcount > 0

    def outcome(self, run_id: str) -> DecisionOutcome | None:
        """Return what is known of a decision's outcome; None before it was looked at."""
        with self._talking("read outcomes from") as connection:
            body = connection.execute(select(OUTCOMES.c.body).where(OUTCOMES.c.run_id == run_id)).scalar_one_or_none()
        return DecisionOutcome.model_validate_json(body) if body else None

    def outcomes(self, limit: int | None = None) -> list[DecisionOutcome]:
        """Return what is known of every decision, the newest run first."""
        query = select(OUTCOMES.c.body).where(OUTCOMES.c.body.is_not(None)).order_by(OUTCOMES.c.created_at.desc(), OUTCOMES.c.run_id.desc())
        with self._talking("read outcomes from") as connection:
            return [DecisionOutcome.model_validate_json(body) for body in connection.execute(query.limit(limit)).scalars()]

    def cases(
        self, desk: str | None = None, model: str | None = None, feed: FeedName | None = None, until: datetime | None = None
    ) -> list[Cases]:
        """Return the entries whose outcome is final, as the machine decided them, by stated confidence. until: only what had ended by
        then."""
        wanted = [*_counted(feed), OUTCOMES.c.confidence.is_not(None), _MACHINE_PNL.is_not(None)]
        wanted += [OUTCOMES.c.flow == desk] if desk is not None else []
        wanted += [OUTCOMES.c.model == model] if model is not None else []
        wanted += [utc_text(until) >= _KNOWN_AT] if until is not None else []
        confidence = OUTCOMES.c.confidence
        query = select(confidence, func.count(), func.sum(case((_MACHINE_PNL > 0, 1), else_=0))).where(*wanted).group_by(confidence)
        with self._talking("read outcomes from") as connection:
            found = self._rows(connection, query.order_by(confidence), ("cases", desk, model, feed), (until, _finals(connection)))
        return [Cases(float(stated), int(n), int(hits)) for stated, n, hits in map(tuple, found)]

    def lines(self, wanted: JournalFilter, limit: int | None, offset: int = 0) -> FoundLines:
        """Return `limit` lines of the journal's table from `offset` on, and how many there are."""
        conditions, source = _conditions(wanted), _WITH_ANSWER if wanted.answer is not None else OUTCOMES
        by, tie = _SORTS[wanted.sort], OUTCOMES.c.run_id
        order = (by.desc().nulls_last(), tie.desc()) if wanted.descending else (by.asc().nulls_last(), tie.asc())
        ids = select(OUTCOMES.c.run_id).select_from(source).where(*conditions).order_by(*order).limit(limit).offset(offset).subquery()
        of_run = (RUNS.c.run_id.label("kept"), RUNS.c.claims, RUNS.c.false_claims)
        joined = _WITH_ANSWER.join(ids, ids.c.run_id == OUTCOMES.c.run_id).outerjoin(RUNS, RUNS.c.run_id == OUTCOMES.c.run_id)
        query = select(OUTCOMES, _ANSWER.label("state"), *of_run).select_from(joined)
        with self._talking("read outcomes from") as connection:
            total = connection.execute(select(func.count()).select_from(source).where(*conditions)).scalar_one()
            rows = connection.execute(query.order_by(*order)).all()
        return FoundLines(lines=tuple(_line(row) for row in rows), total=total)

    def choices(self) -> dict[str, list[str]]:
        """Return the markets, desks, models and feeds that there are decisions of, each in the order of its name."""
        columns = {"symbol": OUTCOMES.c.subject, "desk": OUTCOMES.c.flow, "model": OUTCOMES.c.model, "feed": OUTCOMES.c.feed}
        state = select(*(select(each).scalar_subquery() for each in (func.count(OUTCOMES.c.run_id), func.max(OUTCOMES.c.created_at))))
        with self._talking("read outcomes from") as connection:
            there = tuple(connection.execute(state).one())
            found = self._rows(connection, select(*columns.values()).distinct(), "choices", there)
        return {name: sorted({row[place] for row in found} - {None}) for place, name in enumerate(columns)}

    def summary(self, feed: FeedName | None = None) -> JournalSummary:
        """Return all decisions at a glance. feed: those on such prices."""
        day = func.substr(OUTCOMES.c.ended_at, 1, 10).label("day")
        own = case((OUTCOMES.c.followed == "order", OUTCOMES.c.r))
        days = select(day, *_sums("order", own), *_sums("plan", _MACHINE_R)).where(*_counted(feed)).group_by("day").order_by("day")
        counts = select(OUTCOMES.c.followed, func.count()).where(*_on(feed)).group_by(OUTCOMES.c.followed)
        ends = select(*(select(which(OUTCOMES.c.created_at)).where(*_on(feed)).scalar_subquery() for which in (func.min, func.max)))
        with self._talking("read outcomes from") as connection:
            there = _finals(connection)
            found = self._rows(connection, days, ("days", feed), there)
            final = dict(map(tuple, self._rows(connection, counts.where(OUTCOMES.c.is_final == 1), ("counts", feed), there)))
            going = dict(map(tuple, connection.execute(counts.where(OUTCOMES.c.is_final == 0)).all()))
            first, last = connection.execute(ends).one()
        return JournalSummary(
            decisions=sum(final.values()) + sum(going.values()),
            begins=datetime.fromisoformat(first) if first is not None else None,
            ends=datetime.fromisoformat(last) if last is not None else None,
            nothing_to_follow=final.get("none", 0) + going.get("none", 0),
            final=sum(final.get(followed, 0) for followed in _FOLLOWED),
            still_open=sum(going.get(followed, 0) for followed in _FOLLOWED),
            orders=_total(found, "order"),
            plans=_total(found, "plan"),
            days=tuple((date.fromisoformat(row.day), float(row.order_r), float(row.plan_r)) for row in found if row.day is not None),
        )

    def person_groups(self, feed: FeedName | None = None) -> list[PersonGroup]:
        """Return the outcomes of filed entries, by their answer: how many are over, what the machine's plans came to and what the
        account got, in R. feed: those on such prices."""
        answers = {"blocked": "blocked", "rejected": "rejected", "expired": "expired", "filled": "filled"}
        answer = case(
            (OUTCOMES.c.is_edited == 1, "edited"),
            (OUTCOMES.c.machine_r != OUTCOMES.c.r, "handled"),
            else_=case(answers, value=OUTCOMES.c.answer, else_="other"),
        )
        own = case((OUTCOMES.c.followed == "order", OUTCOMES.c.r), else_=0.0)
        columns = [answer.label("kind"), func.count().label("n"), func.sum(_MACHINE_R).label("machine"), func.sum(own).label("person")]
        query = select(*columns).where(*_counted(feed), OUTCOMES.c.answer.is_not(None), _MACHINE_R.is_not(None)).group_by("kind")
        with self._talking("read outcomes from") as connection:
            found = {row.kind: row for row in self._rows(connection, query, ("answers", feed), _finals(connection))}
        return [
            PersonGroup(answer=name, n=row.n, machine_r=float(row.machine), person_r=float(row.person))
            for name in get_args(AnswerGroup)
            if (row := found.get(name)) is not None
        ]


def _on(feed: FeedName | None) -> tuple[ColumnElement[bool], ...]:
    return (OUTCOMES.c.feed == feed,) if feed is not None else ()


def _counted(feed: FeedName | None) -> tuple[ColumnElement[bool], ...]:
    return *_COUNTED, *_on(feed)


def _finals(connection: Connection) -> int:
    """Return how many outcomes are final; by the indexes that count quickest."""
    every, going = select(func.count()).select_from(OUTCOMES), select(func.count()).where(OUTCOMES.c.is_final == 0)
    return int(connection.execute(select(every.scalar_subquery() - going.scalar_subquery())).scalar_one())


def utc_text(at: datetime) -> str:
    """Return an instant as the journal compares it."""
    return at.astimezone(UTC).isoformat()


def _sums(name: str, r: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    """Return what a total is made of. r: NULL where it does not count."""
    sums = {"n": func.count(r), "r": func.sum(r), "r2": func.sum(r * r), "right": func.count(case((r > 0, 1)))}
    return [func.coalesce(each, 0).label(f"{name}_{part}") for part, each in sums.items()]


def _total(days: Sequence[Row[Any]], name: str) -> Total:
    n, total, squares, right = (sum(getattr(row, f"{name}_{part}") for row in days) for part in ("n", "r", "r2", "right"))
    spread = 1.96 * math.sqrt(max(0.0, (squares - total * total / n) / (n - 1)) * n) if n > 1 else None
    low, high = (total - spread, total + spread) if spread is not None else (None, None)
    return Total(n=int(n), r=total, right=int(right), low=low, high=high)


def _conditions(wanted: JournalFilter) -> Sequence[ColumnElement[bool]]:
    found = [_has_word(word) for word in wanted.text.split()[:_MOST_WORDS]]
    chosen = {OUTCOMES.c.subject: wanted.symbol, OUTCOMES.c.flow: wanted.desk, OUTCOMES.c.model: wanted.model, OUTCOMES.c.feed: wanted.feed}
    found += [column == value for column, value in chosen.items() if value is not None]
    if wanted.action is not None:
        found.append(OUTCOMES.c.action == wanted.action)
    if wanted.answer is not None:
        found.append(_ANSWER.is_not_distinct_from(wanted.answer if wanted.answer != "none" else None))
    if wanted.outcome == "gain":
        found.append(OUTCOMES.c.pnl_pct > 0)
    elif wanted.outcome == "loss":
        found.append(OUTCOMES.c.pnl_pct <= 0)
    elif wanted.outcome is not None:
        found.append(OUTCOMES.c.exit_reason == wanted.outcome)
    return found


def _has_word(word: str) -> ColumnElement[bool]:
    looked_in = (OUTCOMES.c.subject, OUTCOMES.c.action, OUTCOMES.c.model, OUTCOMES.c.run_id)
    return or_(*(column.icontains(word, autoescape=True) for column in looked_in))


def _line(row: Row[Any]) -> JournalLine:
    return JournalLine(
        run_id=row.run_id,
        created_at=datetime.fromisoformat(row.created_at),
        symbol=row.subject,
        desk=row.flow,
        model=row.model,
        timeframe=row.timeframe,
        action=row.action,
        confidence=row.confidence,
        answer=row.state,
        has_run=row.kept is not None,
        claims=row.claims,
        false_claims=row.false_claims,
        known=DecisionOutcome.model_validate_json(row.body) if row.body else None,
    )
