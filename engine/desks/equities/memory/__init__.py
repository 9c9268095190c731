"""What analysts remember: the Memory Controller, how summaries are made, and a view from outside."""
