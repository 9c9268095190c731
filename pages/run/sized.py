"""By which confidence an order was sized. HTML, without streamlit."""

from markupsafe import Markup

from pages.frame import json_fields, numbers
from pages.frame.escape import markup
from pages.frame.json_fields import Fields
from pages.frame.show import Show


def sized_line(result: Fields, show: Show) -> Markup:
    """Return which confidence an entry was sized by, where that is not the stated one. result: of the node that decided."""
    calibrated = json_fields.number(result, "calibrated_confidence")
    return Markup() if calibrated is None else markup('<p class="tb-lab">{}</p>', show.say("sized_by", n=numbers.number(calibrated)))
