"""The code in the sandbox's process: it imports only the standard library, and nothing else of the toolkit.

The process starts this package under the name ``inside``, so its files import each other as siblings. The host
imports ``frames`` and ``plain`` from here too, so that both sides use the same rules.
"""
