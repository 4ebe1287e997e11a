"""The shapes that many formats share: messages, requests and responses as in the providers' interfaces.

One file per shape, each with the same functions: ``message`` reads one message of any role, ``request`` and ``response`` read bodies, ``usage`` reads
tokens. ``KEEPS`` is the capture of the model's output. ``base.py`` has their results, ``conversation.py`` makes turns of a list of messages, and
``bodies.py`` finds a body's shape. They take decoded JSON and never raise on it: a value of a wrong type is skipped and counted. ``codex_results.py``
reads one runtime's results.
"""
