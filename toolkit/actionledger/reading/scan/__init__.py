"""Find possible blocks in a text: markdown fences and tags."""
