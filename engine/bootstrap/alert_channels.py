"""Alerts in the log, and as messages to the addresses of TRIBUNAL_ALERTS, through the library `apprise`: Telegram, e-mail, ntfy, Slack and
many others.

Messages are sent one after another on a thread, so the reporting code never waits for a service. A message says what waits or what
is wrong, and where to look; it has no order, no price and no button. `apprise` is imported with the first message.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.approvals.alerts import LoggedAlerts
from engine.domain.alert import Alert, AlertTopic, SentAlert
from engine.domain.errors import BadInput
from engine.domain.text.reason import Reason, said_in
from engine.domain.text.visible import one_line
from engine.settings import Settings

if TYPE_CHECKING:
    from apprise import Apprise

_TITLE: Final = "Tribunal"
_LONGEST: Final = 300
_log = logging.getLogger(__name__)


@dataclass
class AlertChannels:
    """`Alerts` of one process. settings: as they are now."""

    settings: Settings

    def __post_init__(self) -> None:
        self._logged = LoggedAlerts()
        self._sending = ThreadPoolExecutor(1, "alerts")

    def adopt(self, settings: Settings) -> None:
        """Send by other settings from now on."""
        self.settings = settings

    def send(self, alert: Alert) -> None:
        """Log an alert that is about a fault, and begin to send one whose topic was chosen."""
        if alert.topic == "no_stop":
            self._logged.send(alert)
        if self.wants(alert.topic):
            self._sending.submit(self._deliver, alert_addresses(self.settings), self._text(alert))

    def wants(self, topic: AlertTopic) -> bool:
        """Return whether there is an address that is told of it."""
        return topic in self.settings.alerts_when and bool(alert_addresses(self.settings))

    def _text(self, alert: Alert) -> str:
        settings = self.settings
        words = one_line(said_in(alert.text, settings.language))[:_LONGEST]
        return f"{words}\n{settings.public_url}/approvals" if alert.kind == "waits" and settings.public_url else words

    def _deliver(self, addresses: Sequence[str], text: str) -> None:
        try:
            failed = [each.kind for each in send_alert(addresses, text) if not each.is_sent]
        except BadInput as problem:
            _log.warning("no alert was sent: %s", problem)
            return
        if failed:
            _log.warning("an alert could not be sent by %s", ", ".join(failed))

    def close(self) -> None:
        """Wait for the message that is being sent; each service is given a few seconds."""
        self._sending.shutdown()


def alert_addresses(settings: Settings) -> list[str]:
    """Return the addresses of the settings. They hold secrets."""
    return settings.alerts.get_secret_value().split()


def send_alert(addresses: Sequence[str], text: str) -> list[SentAlert]:
    """Send a message to every address; blocks until each service has answered, or a few seconds. Raises BadInput for an address that
    `apprise` does not understand, without repeating it."""
    services = _services(addresses)
    return [SentAlert(kind=kind_of(address), is_sent=bool(service.notify(body=text, title=_TITLE))) for address, service in services]


def require_addresses(addresses: Sequence[str]) -> None:
    """Raise BadInput for an address that alerts cannot be sent to."""
    _services(addresses)


def kind_of(address: str) -> str:
    """Return `tgram` of `tgram://TOKEN/CHAT`: the one part of an address that is no secret."""
    return address.partition("://")[0][:20].lower()


def _services(addresses: Sequence[str]) -> "list[tuple[str, Apprise]]":
    """Return each address with what sends to it, which raises nothing."""
    from apprise import Apprise, AppriseAsset  # noqa: PLC0415 - it takes half a second

    logging.getLogger("apprise").disabled = True  # it names addresses
    asset = AppriseAsset(app_id=_TITLE, secure_logging=True, plugin_paths=[])
    found = []
    for number, address in enumerate(addresses, 1):
        service = Apprise(asset=asset)
        if not service.add(address):
            raise BadInput(Reason("alert_address_is_not_understood", number=number))
        found.append((address, service))
    return found
