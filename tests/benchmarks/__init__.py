"""What the engine's numbers are held to, measured: `python -m tests.benchmarks`. Not tests: pytest does not collect them."""
