"""Where alerts go: a line of the log each. Another channel is another class of the same shape, made in the composition root."""

import json
import logging
from typing import Protocol

from engine.domain.alert import Alert

_log = logging.getLogger("engine.alerts")


class Alerts(Protocol):
    """Sends alerts to somebody. Called from any thread; must not raise and must not wait long."""

    def send(self, alert: Alert) -> None:
        """Pass an alert on."""
        ...


class LoggedAlerts:
    """One JSON object a line, in ASCII: what a venue wrote cannot move a terminal's cursor."""

    def send(self, alert: Alert) -> None:
        """Log an alert: an error for what needs somebody, a warning for its end."""
        level = logging.ERROR if alert.kind in {"no_stop", "gone", "unread"} else logging.WARNING
        body = {"alert": alert.kind, "account": alert.account, "symbol": alert.symbol, "at": alert.at.isoformat(), "text": alert.text[:500]}
        _log.log(level, "%s", json.dumps(body))
