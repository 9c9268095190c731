"""The composition root: Settings in, Engine out. The only room that names implementations. `parts.make_container`."""
