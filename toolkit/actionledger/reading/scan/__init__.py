"""Finding what may be a block: markdown fences and tags in a text."""
