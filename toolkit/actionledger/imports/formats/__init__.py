"""One module or package per format, with its ``Source`` as ``SOURCE``; ``registry.py`` finds it by its place."""
