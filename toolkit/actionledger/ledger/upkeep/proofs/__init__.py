"""Proofs that records are as they were ingested: a hash chain with a link for each transaction of the ingester. In a lake each host has a chain.

A *cell* is the rows that one link put into one table for one turn, session or run. Its digest covers the rows as stored and a salt of the
session, which is deleted when the session is erased. A link's head covers the previous head and all cells of the link. So a person who has
kept one head can have everything up to it checked. In ``storage``, ``chain.py`` makes digests and adds links. ``stored.py`` computes the same digests
from a database and keeps those of deleted rows. Here ``walk.py`` walks chains, and ``file.py`` checks all parts of a ledger in one file.
"""
