"""A stranger's SQL in a process of its own: what is said to that process, what runs there, and one that is kept ready."""

SECONDS = 60.0
"""How long a statement may take if not said otherwise."""

MAX_BYTES = 8 * 2**30
"""How many bytes a statement may give if not said otherwise, as they come from its process or as the file that it writes."""
