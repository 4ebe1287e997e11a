"""What sessions come to, counted ahead, so that a page needn't read every row of a large ledger.

``tables.py`` says what is kept of a session and when it can be relied on, ``writer.py`` and ``state.py`` keep it, ``upkeep/rollups.py`` makes it again
for whoever doubts it. What asks for it is ``queries/rolled.py``; it takes the rows themselves wherever there is no rollup.
"""
