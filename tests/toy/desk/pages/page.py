"""What a run of the toy desk is drawn by: the generic page, with a question to ask."""

from pages.run.generic_page import GenericPage

PAGES = (GenericPage("toy", "toy", lambda engine, question: engine.toys.request(question)),)
