"""OUT: export rows, whole ledgers, reports and third-party formats from a ledger.

``selection.py`` selects the content; ``reports.py`` makes pages, ``otlp.py`` spans and ``parts.py`` trajectories. ``ledger.copies``
writes tables and checks their counts in the written file.
"""
