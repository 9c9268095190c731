"""What pages say of a dispute, and the button that makes or withdraws one. HTML of spans, because it is inside a paragraph too; what a
press does is in `dispute_buttons`."""

from collections.abc import Sequence

from markupsafe import Markup

from engine.domain.claims import Claim, Verdict
from pages.claims.reading import named, reading
from pages.frame.cards import message
from pages.frame.escape import markup, plain
from pages.frame.show import Show


def drawn_verdict(claim: Claim, show: Show) -> Verdict:
    """Return the verdict that a claim is drawn with: one that was struck and is disputed is dotted."""
    return "unverifiable" if show.dispute(claim) is not None else claim.verdict


def line(words: str | Markup, *, muted: bool = False) -> Markup:
    """Return a line of a card; "" of nothing."""
    css_class = "tb-line tb-muted" if muted else "tb-line"
    return markup('<span class="{}">{}</span>', css_class, words) if words else Markup()


def confirmed_line(claim: Claim, show: Show) -> Markup:
    """Return what a second reader said of a strike, "" where none was to be asked."""
    if claim.confirmed is None:
        return Markup()
    return line(show.say("read_yes") if claim.confirmed == "yes" else reason_of(claim, show))


def reason_of(claim: Claim, show: Show) -> str:
    """Return why a claim is unverifiable or unconfirmed, as a sentence; "" where that is not known."""
    words = show.translated(claim.reason).rstrip(".。")
    return f"{words[:1].upper()}{words[1:]}{'。' if show.language == 'zh' else '. '}" if words else ""


def disputed_words(claim: Claim, show: Show) -> str:
    """Return who disputes a claim, and why; "" if no one does."""
    dispute = show.dispute(claim)
    if dispute is None:
        return ""
    return show.say("disputed_because", who=dispute.who, why=dispute.why) if dispute.why else show.say("disputed_by", who=dispute.who)


def dispute_line(claim: Claim, show: Show) -> Markup:
    """Return who disputes a struck claim, and the button for it where the page hears one."""
    words, button = disputed_words(claim, show), _button(claim, show)
    return markup('<span class="tb-line tb-disputes">{} {}</span>', words, button) if words or button else Markup()


def reading_row(claim: Claim, show: Show, columns: int) -> list[Markup]:
    """Return a row of a table under the row of a struck claim: how it was read, who disputes it, the button, and room for a reason."""
    below = markup("{} {}", dispute_line(claim, show), _why(claim, show))
    words = markup('<span class="tb-muted">{}{}</span>', reading(claim, show), confirmed_line(claim, show))
    return [markup('<td class="why" colspan="{}">{}{}</td>', columns, words, below)]


def disputed_count(claims: Sequence[Claim], show: Show) -> str:
    """Return ` · 2 disputed`; "" where none is."""
    count = len(_disputes(claims, show))
    return f" · {show.say('disputed_n', n=count)}" if count else ""


def disputed_note(claims: Sequence[Claim], show: Show) -> Markup:
    """Return that a dispute changes nothing of what was recorded; "" where nothing is disputed."""
    names = _disputes(claims, show)
    if not names:
        return Markup()
    return markup('<p class="tb-lab">{}</p>', show.say("disputed_stands", n=len(names), who=_listed(names, show)))


def signers_note(show: Show) -> str:
    """Return what a signer should know of the disputes of the run; "" without any."""
    names = [dispute.who for dispute in show.disputes.values()]
    return show.say("disputed_signer", n=len(names), who=_listed(names, show)) if names else ""


def signers_message(show: Show) -> Markup:
    """Return the same as a message."""
    note = signers_note(show)
    return message(note) if note else Markup()


def _disputes(claims: Sequence[Claim], show: Show) -> list[str]:
    return [dispute.who for claim in claims if (dispute := show.dispute(claim)) is not None]


def _listed(names: Sequence[str], show: Show) -> str:
    return show.say("list_comma").join(dict.fromkeys(names))


def _button(claim: Claim, show: Show) -> Markup:
    if not show.disputing or not claim.is_struck:
        return Markup()
    what, is_disputed = f"{named(claim, show)}, {claim.text}", show.dispute(claim) is not None
    word, name = ("dispute_undo", "dispute_undo_of") if is_disputed else ("dispute", "dispute_of")
    return markup(
        '<button type="button" class="tb-dispute" data-dispute="{}" data-undo="{}" aria-label="{}" title="{}">{}</button>',
        claim.id,
        "1" if is_disputed else "",
        show.say(name, what=what),
        show.say("dispute_help"),
        show.say(word),
    )


def _why(claim: Claim, show: Show) -> Markup:
    dispute = show.dispute(claim)
    if dispute is None or not show.disputing:
        return plain("")
    return markup(
        '<input class="tb-why-in" type="text" maxlength="300" data-dispute-why="{}" placeholder="{}" aria-label="{}" value="{}">',
        claim.id,
        show.say("dispute_why"),
        show.say("dispute_why_of", what=named(claim, show)),
        dispute.why,
    )
