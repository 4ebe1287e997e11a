"""OUT: rows, whole ledgers, reports and other people's formats, made of what a ledger has.

``selection.py`` says what goes out; ``reports.py`` makes pages of it, ``otlp.py`` spans, ``atif.py`` trajectories. What is written as
tables is written by ``ledger.copies``, and is counted again in the file.
"""
