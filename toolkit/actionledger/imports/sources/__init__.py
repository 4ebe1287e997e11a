"""Read other programs' recordings: sources yield sessions, and refusals for what they can't read."""
