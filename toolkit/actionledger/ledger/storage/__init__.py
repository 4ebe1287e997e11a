"""The only writer: segments, the ingester, the working file and its published copies, rollups, and a lake instead of a file."""
