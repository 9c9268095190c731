"""The shell: `python -m engine COMMAND ...`, over the api; `main.py` is its entry, and every command is a file.

Results go to stdout, progress and messages to stderr. Exit 0 done, 1 failed, 2 bad usage; a failure is one clear line, never a traceback.
Heavy imports come after the arguments are read, so that --help answers at once.
"""
