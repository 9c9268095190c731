"""Markets as they were known at one instant: a protocol, three feeds behind it, and the reader that makes a snapshot of any of them."""
