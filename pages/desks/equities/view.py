"""The equities desk: ask for a decision on a company or an index and watch it being argued."""

from pages.desks import page_of_flow
from pages.desks.run_page import draw_run_page

draw_run_page(page_of_flow("fusion"))
