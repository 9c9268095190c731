"""Pictures of the pages that somebody has looked at and approved, and the comparison with what a browser shows today."""
