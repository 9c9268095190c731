"""Child processes that start in milliseconds: forked from one that has imported everything already."""

from tests.processes.process import PIPE, Completed, Process, run_engine, run_python, start_engine

__all__ = ["PIPE", "Completed", "Process", "run_engine", "run_python", "start_engine"]
