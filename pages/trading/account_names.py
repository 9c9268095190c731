"""What an account is called on a page: whose money it is, by which prices, in which currency."""

import re

from pages.frame.show import Show

_PAPER = re.compile(r"paper(?:\.(?P<currency>[A-Z]{3}))?:(?P<feed>simulated|recorded|live):(?P<source>.*)", re.DOTALL)


def account_name(account: str, show: Show) -> str:
    """Return `Paper · Simulated market 302` of `paper:simulated:302`; an account of an exchange by its exchange, any other by its name."""
    found = _PAPER.fullmatch(account)
    if found is None:
        return account.removeprefix("exchange:")
    source = "" if found["source"] in ("None", "") else found["source"].rpartition("/")[2]
    market = " ".join(part for part in (show.say(f"{found['feed']}_market"), source) if part)
    return " · ".join(part for part in (show.say("tag_paper"), market, found["currency"]) if part)
