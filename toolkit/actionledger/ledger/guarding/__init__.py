"""A stranger's SQL in a process of its own: what is said to that process, what runs there, and one that is kept ready."""
