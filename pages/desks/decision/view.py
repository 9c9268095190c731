"""The desk: ask for a decision on a market and watch it being argued."""

from pages.desks import first_page
from pages.desks.run_page import draw_run_page

draw_run_page(first_page())
