"""The desk: ask for a decision on a market and watch it being argued."""

from pages.flow_pages import first_page
from pages.run_page import draw_run_page

draw_run_page(first_page())
