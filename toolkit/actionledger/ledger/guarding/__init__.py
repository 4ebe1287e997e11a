"""Untrusted SQL in a process of its own: messages to that process, its work, and one that is kept ready."""

SECONDS = 60.0
"""The default time limit of a statement, in seconds."""

MAX_BYTES = 8 * 2**30
"""The default size limit of a statement's result, in bytes: of the rows from its process, or of the file that it writes."""
