"""The research desk."""

from typing import Final

from engine.desks.desk import Desk
from engine.desks.research.api import Research

DESK: Final = Desk(Research.flow, {"research": Research})
