"""FORGET: all that is recorded of sessions goes from every file of a ledger, and that it went is recorded without a word of it.

What is to be done is written down first (``intent.py``); whoever is killed at it is followed by the next one, who goes on. Records go by one
transaction (``records.py``), and then out of the free pages, the published copy and live segments (``finishing.py``), under the ingest lock: nobody
publishes a half of it. What lies beside the records, the room of sessions removes first.
"""
