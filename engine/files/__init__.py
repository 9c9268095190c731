"""Tables in files, read with the place of every fault: what recorded markets and recorded companies have in common."""
