"""Whether prices can be had and an exchange's account can be used: reached, its clock, its limits on requests, what the key may do."""

from collections.abc import Awaitable, Callable

from engine.diagnostics.probe import Results, line
from engine.diagnostics.wording import DiagnosticWords
from engine.domain.diagnostics.result import DiagnosticResult
from engine.domain.diagnostics.venue import KeyPermissions, VenueStatus
from engine.market.protocol import Feed

_SKEW_MS = 1_000.0  # beyond it venues refuse signed requests
_GREAT_SKEW_MS = 5_000.0


async def probe_feed(feed: Feed, words: DiagnosticWords) -> Results:
    """Return the line of a feed that asks no one outside: simulated, or a folder of recordings. Raises MarketError, BadInput."""
    if feed.name == "simulated":
        return [line("feed.reached", "ok", words("feed_simulated"), words("feed_simulated_do"))]
    markets = await feed.markets()
    if not markets:
        return [line("feed.reached", "failed", words("feed_empty"), words("feed_empty_do"))]
    return [line("feed.reached", "ok", words("feed_recorded", n=f"{len(markets):,}"))]


async def probe_venue(name: str, status: Callable[[], Awaitable[VenueStatus]], words: DiagnosticWords) -> Results:
    """Return the lines of a venue. name: `feed` or `exchange`, what it is used as. Raises MarketError."""
    found = await status()
    reached = line(f"{name}.reached", "ok", words("venue_reached", venue=found.venue, n=f"{found.markets:,}"))
    return [reached, _clock(name, found, words), _limits(name, found, words)]


async def probe_keys(permissions: Callable[[], Awaitable[KeyPermissions]], words: DiagnosticWords, *, sandbox: bool) -> Results:
    """Return the lines of an account's key. sandbox: it is one of play money, of which venues seldom say what it may do. Raises
    BrokerError when the account cannot be read with it."""
    found = await permissions()
    accepted = line("keys.accepted", "ok", words("keys_accepted"))
    if sandbox and found.may_trade is None and found.may_withdraw is None:
        return [accepted, *(line(f"keys.{name}", "skipped", words("keys_sandbox")) for name in ("may_trade", "may_not_withdraw"))]
    return [accepted, _may_trade(found, words), _may_withdraw(found, words)]


def skipped_keys(words: DiagnosticWords) -> Results:
    """Return the line of an installation that trades on paper."""
    return [line("keys.accepted", "skipped", words("keys_paper"))]


def _clock(name: str, status: VenueStatus, words: DiagnosticWords) -> DiagnosticResult:
    if status.skew_ms is None:
        return line(f"{name}.clock", "skipped", words("clock_unsaid", venue=status.venue))
    seconds = f"{status.skew_ms / 1000:+.2f}".replace("-", "\u2212")
    detail, away = words("clock_skew", venue=status.venue, seconds=seconds), abs(status.skew_ms)
    if away <= _SKEW_MS:
        return line(f"{name}.clock", "ok", detail)
    return line(f"{name}.clock", "failed" if away > _GREAT_SKEW_MS else "warning", detail, words("clock_do"))


def _limits(name: str, status: VenueStatus, words: DiagnosticWords) -> DiagnosticResult:
    rate = words("rate_ours", n=f"{status.requests_per_minute:,}")
    used = words("rate_used", n=f"{status.weight_used:,}") if status.weight_used is not None else words("rate_unsaid")
    return line(f"{name}.rate_limits", "ok", f"{rate} {used}")


def _may_trade(found: KeyPermissions, words: DiagnosticWords) -> DiagnosticResult:
    if found.may_trade is None:
        return line("keys.may_trade", "warning", words("trade_unsaid"), words("rights_do"))
    if not found.may_trade:
        return line("keys.may_trade", "failed", words("trade_not"), words("trade_do"))
    return line("keys.may_trade", "ok", words("trade_may"))


def _may_withdraw(found: KeyPermissions, words: DiagnosticWords) -> DiagnosticResult:
    if found.may_withdraw is None:
        return line("keys.may_not_withdraw", "warning", words("withdraw_unsaid"), words("rights_do"))
    if found.may_withdraw:
        return line("keys.may_not_withdraw", "failed", words("withdraw_may"), words("withdraw_do"))
    return line("keys.may_not_withdraw", "ok", words("withdraw_not"))
