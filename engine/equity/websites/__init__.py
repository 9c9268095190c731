"""Libraries that ask public websites, behind one face, read through `live.py`."""
