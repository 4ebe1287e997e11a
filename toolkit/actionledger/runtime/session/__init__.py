"""One session with a ledger: open, resume, decide, undo and preview."""
