"""What a dozen formats hold: messages, requests and responses as the providers' interfaces write them.

One file a shape, each with the same functions: ``message`` reads one message of any side, ``request`` and ``response`` read bodies,
``usage`` reads what it took, ``KEEPS`` says how much is left of what the model wrote. ``base.py`` says what they return,
``conversation.py`` makes turns of a list of messages, ``known.py`` tells which shape a body has. They take decoded JSON and never
raise on it: what has a wrong type is passed over, and what is passed over is counted. ``codex_results.py`` is a runtime's own: its results.
"""
