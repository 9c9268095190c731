"""What analysts may look up, by name."""

from typing import Final

from engine.desks.equities.tools import company, index, news
from engine.desks.equities.tools.tool import DataTool

TOOLS: Final = {each.name: each for module in (company, index, news) for each in vars(module).values() if isinstance(each, DataTool)}
