"""What an account is called on a page: whose money it is, by which prices, in which currency."""

import re

from engine.domain.broker_capabilities import capabilities_of, registered_brokers
from pages.frame.show import Show

_OF_A_FEED = re.compile(r"(?:#(?P<number>\d+))?(?:\.(?P<currency>[A-Z]{3}))?:(?P<feed>simulated|recorded|live):(?P<source>.*)", re.DOTALL)


def account_name(account: str, show: Show) -> str:
    """Return `Paper · Simulated market 302` of `paper:simulated:302`; an account of an exchange by its exchange, any other by its name."""
    broker = re.split(r"[#.:]", account, maxsplit=1)[0]
    if broker not in registered_brokers():
        return account
    found, able = _OF_A_FEED.fullmatch(account.removeprefix(broker)), capabilities_of(broker)
    if found is None or not able.any_feed:
        return account.removeprefix(f"{broker}:")
    kind = broker if able.at_venue else show.say("tag_demo" if able.starts_over else "tag_paper")
    kind += f" {int(found['number']) + 1}" if found["number"] else ""
    source = "" if found["source"] in ("None", "") else found["source"].rpartition("/")[2]
    market = " ".join(part for part in (show.say(f"{found['feed']}_market"), source) if part)
    return " · ".join(part for part in (kind, market, found["currency"]) if part)
