"""What any room may need of values, names and texts; it knows no room but ``errors``."""
