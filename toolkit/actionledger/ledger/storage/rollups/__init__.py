"""Sessions' precomputed totals, so that a page needn't read every row of a large ledger.

``tables.py`` defines the data per session and when it is valid. ``writer.py`` and ``state.py`` maintain it, and ``upkeep/rollups.py`` checks it.
``queries/rolled.py`` uses it, or the rows themselves if there is no rollup.
"""
