"""Where alerts go. `LoggedAlerts` writes a line of the log each; `engine/bootstrap/alert_channels.py` also sends messages."""

import json
import logging
from typing import Protocol

from engine.domain.alert import Alert, AlertTopic

_log = logging.getLogger("engine.alerts")


class Alerts(Protocol):
    """Sends alerts to someone. Called from any thread; must not raise and must not wait long."""

    def send(self, alert: Alert) -> None:
        """Pass an alert on, if its topic is wanted."""
        ...

    def wants(self, topic: AlertTopic) -> bool:
        """Return whether alerts of this kind are sent at all, so that a caller can skip the work of finding them."""
        ...


class LoggedAlerts:
    """One JSON object a line, in ASCII: what a venue wrote cannot move a terminal's cursor."""

    def send(self, alert: Alert) -> None:
        """Log an alert: an error for what needs someone, a warning for its end."""
        level = logging.ERROR if alert.kind in {"no_stop", "gone", "unread"} else logging.WARNING
        body = {"alert": alert.kind, "account": alert.account, "symbol": alert.symbol, "at": alert.at.isoformat(), "text": alert.text[:500]}
        _log.log(level, "%s", json.dumps(body))
