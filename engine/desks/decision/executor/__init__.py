"""The executor: what it is given (`brief`, `prompt`), how its answer is checked (`check`), and its node, which decides (`node`)."""
