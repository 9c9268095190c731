"""Listed companies as they were known at one moment: a protocol, three sources behind it, and the reader that makes a snapshot of any."""
