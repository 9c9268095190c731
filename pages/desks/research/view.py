"""The research desk: ask a question and watch it being worked through."""

from pages.desks import page_of_flow
from pages.desks.run_page import draw_run_page

draw_run_page(page_of_flow("plan"))
