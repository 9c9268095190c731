"""The plan desk."""

from typing import Final

from engine.desks.desk import Desk
from engine.desks.plan.api import Plans

DESK: Final = Desk(Plans.flow, {"plans": Plans})
