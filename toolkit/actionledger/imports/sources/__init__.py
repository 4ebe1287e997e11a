"""Other people's recordings in: one file a format, each giving sessions and, for what it can't read, refusals."""
