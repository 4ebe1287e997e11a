"""Live recording of the traffic between an agent and its model.

Traffic comes first: ``tap.py`` copies it and never changes it. ``recording.py`` queues the copy for a thread that writes the ledger, and drops what
the queue can't hold. ``calls.py`` reads bodies; ``proxy.py``, ``clients.py`` and ``stdio.py`` are the places where traffic passes, and ``watcher.py``
watches a folder.
"""
