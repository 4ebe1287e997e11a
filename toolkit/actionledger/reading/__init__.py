"""Parse responses: text in, a reading out. Pure: no clock, file, database or logging; it never raises on text."""
