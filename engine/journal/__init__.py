"""The journal: runs, their events and the snapshots they read, in one database (SQLite unless TRIBUNAL_DATABASE_URL names another)."""
