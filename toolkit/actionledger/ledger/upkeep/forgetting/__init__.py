"""Erase sessions: all their records go from every file of a ledger, and an event records the erasure without any of their content.

The intent is saved first (``intent.py``), so that the next process completes an erasure that was killed. ``records.py`` removes the records in one
transaction, then clears free pages, the published copy and live segments. It holds the ingest lock: nobody publishes half of an erasure. The sessions
package first removes what is stored next to the records.
"""
