"""Values, names and texts for all other packages; ``core`` imports none of them, except ``errors``."""
