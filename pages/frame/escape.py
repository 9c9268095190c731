"""Text from a model, a venue or a person, made safe to stand in HTML. Every panel writes foreign text through `plain` and nothing else."""

import html

from engine.domain.text.visible import SHOWN_INSTEAD, visible

__all__ = ["SHOWN_INSTEAD", "plain", "visible"]


def plain(text: object) -> str:
    """Return text as HTML: nothing in it can be a tag, an attribute's end or an entity."""
    return html.escape(visible(str(text)), quote=True)
