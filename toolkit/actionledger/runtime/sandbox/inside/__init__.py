"""What runs inside the sandbox's process: the standard library alone, no import from the rest of the toolkit.

The process starts this package by itself, under the name ``inside``, so its files import each other as siblings. The host
imports ``frames`` and ``plain`` from here too: both sides speak by the same rules.
"""
