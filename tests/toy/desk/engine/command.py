"""`toy QUESTION`."""

from typing import Any

from engine.shell.asked_runs import add_run_options, asked_of, play


def add_to(commands: Any) -> None:
    toy = commands.add_parser("toy", help="ask the toy desk")
    toy.add_argument("question")
    add_run_options(toy)
    toy.set_defaults(run=lambda options: play(options, lambda engine: engine.toys.request(options.question, **asked_of(options)), sentence))


def sentence(state: Any) -> str:
    return str(state["answer"])
