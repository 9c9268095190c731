"""Random numbers that depend on nothing but names: the same in every process and on every day."""

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def draws_of(*names: object) -> "np.random.Generator":
    """Return the generator of these names, in this order, at its beginning."""
    import numpy as np  # noqa: PLC0415 - pages and commands that draw nothing hold no numpy

    digest = hashlib.blake2b("|".join(map(str, names)).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=np.frombuffer(digest, dtype=np.uint64)))
