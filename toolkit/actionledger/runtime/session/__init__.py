"""One session with a ledger: opened, resumed, decided about, undone, looked at beforehand."""
