"""A gate before a change: recorded turns read again by a candidate, held against a baseline, and stopped where that makes them worse."""
