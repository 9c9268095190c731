"""Text from a model, a venue or a person, made safe to be in HTML. What is safe is a `Markup`; a str is text, wherever it is put.

A panel is made by `markup` out of a template, which is a literal of the pages, and parts, which are escaped unless they are markup already.
"""

from collections.abc import Iterable

from markupsafe import Markup, escape

from engine.domain.text.visible import SHOWN_INSTEAD, visible

__all__ = ["SHOWN_INSTEAD", "joined", "markup", "plain", "visible"]

_AS_IT_IS = (Markup, int, float)


def plain(text: object) -> Markup:
    """Return text as HTML: nothing in it can be a tag, an attribute's end or an entity. Markup stays as it is."""
    if isinstance(text, Markup):
        return text
    words = str(text)
    return escape(words if words.isprintable() else visible(words))  # what hides or reorders is never printable


def markup(template: str, *parts: object) -> Markup:
    """Return a template with a part in each of its `{}`. template: a literal, with braces of its own doubled. parts: markup as it is,
    numbers as the template writes them (`{:.1f}`), everything else as text."""
    safe = [part if isinstance(part, _AS_IT_IS) else plain(part) for part in parts]
    return Markup(template.format(*safe))  # noqa: S704 - a literal and what is safe


def joined(parts: Iterable[object]) -> Markup:
    """Return parts one after another: markup as it is, everything else as text."""
    return Markup("".join([part if isinstance(part, Markup) else plain(part) for part in parts]))  # noqa: S704 - all of it is safe
