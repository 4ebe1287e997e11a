"""A file a format: each module here, and each folder with its parts, has its ``Source`` as ``SOURCE``; ``registry.py`` finds it by its place."""
