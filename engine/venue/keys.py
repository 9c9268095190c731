"""The keys of an exchange account. They are kept out of every repr; `hidden` takes them out of a text that came from elsewhere."""

import re
from dataclasses import dataclass, field

from pydantic import SecretStr

_SIGNED = re.compile(r"signature=[^&\s\"]+")


@dataclass(frozen=True)
class Keys:
    """api_key, secret: of the account. password: only some venues have one. Empty = not given."""

    api_key: SecretStr
    secret: SecretStr
    password: SecretStr = field(default_factory=lambda: SecretStr(""))

    def hidden(self, text: str) -> str:
        """Return the text without any of the keys, should someone have echoed one, and without what was signed with them."""
        for key in (self.api_key, self.secret, self.password):
            if value := key.get_secret_value():
                text = text.replace(value, "***")
        return _SIGNED.sub("signature=***", text)
