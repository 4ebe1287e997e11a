"""READ: text in, a reading out. Pure: no clock, no file, no database, no logging; it never raises on text."""
