"""Live recording in one line: what passes between an agent and its model, as it passes.

Traffic comes first: ``tap.py`` keeps what passes and never changes it, ``recording.py`` hands it to a thread that writes the ledger, and lets go of
what that can't take in time. ``calls.py`` reads bodies; ``proxy.py``, ``clients.py`` and ``stdio.py`` are the places where they
pass, ``watcher.py`` looks at a folder.
"""
