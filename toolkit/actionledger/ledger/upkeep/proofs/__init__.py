"""What shows that records are as they were taken in: a chain of links, one for each transaction of the ingester; in a lake a chain of each host.

A *cell* is what one link put into one table about one turn (or session, or run): its digest is made of the rows as they are stored and of
a salt of the session's own, which goes when the session is forgotten. A link's head is made of the head before it and of all its cells, so
that whoever has kept one head can have everything up to it checked. In ``storage``,
``chain.py`` makes digests and adds links, ``stored.py`` makes the same digests of what a database holds and keeps those of rows that go.
Here ``walk.py`` goes through chains, ``shape.py`` looks at tables and views, ``file.py`` at all parts of a ledger in one file.
"""
