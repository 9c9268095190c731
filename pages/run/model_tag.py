"""Which kind of model speaks, as a tag: that of the script leads to where another one is connected."""

from markupsafe import Markup

from pages.frame.escape import markup
from pages.frame.show import Show


def model_tag(model: str, show: Show) -> Markup:
    """Return `Scripted model`, in the colour of a warning, or the model's name."""
    if model == "scripted":
        return markup('<a class="tb-tag warn" href="./connect?lang={}" target="_self">{}</a>', show.language, show.say("scripted_model"))
    return markup('<span class="tb-tag">{}</span>', show.say("model_tag", name=model)) if model else Markup()
