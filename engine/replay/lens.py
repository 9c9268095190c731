"""What is between a source of prices and everything that reads it in one process."""

from engine.equity.protocol import EquitySource
from engine.files.kept_files import KeptFiles
from engine.market.protocol import Feed


class Lens:
    """Shows every source as it is. A replay's lens hides what its clock has not come to; a proof's shows another future.

    orders_wait: whether orders for shares wait for the next session. A decision is taken at a close that is past, or before an open that is
    not known: nobody was filled there. An account whose clock stands still would never be filled otherwise; a replay's goes on.
    """

    orders_wait: bool = False

    def files(self) -> KeptFiles:
        """Return what the files of a recorded source are read through."""
        return KeptFiles()

    def feed(self, feed: Feed) -> Feed:
        """Return a feed as it is to be seen."""
        return feed

    def equities(self, source: EquitySource) -> EquitySource:
        """Return a source of companies as it is to be seen."""
        return source
