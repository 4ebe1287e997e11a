"""The components of pages; each owns its state and returns values."""
