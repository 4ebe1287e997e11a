"""The REPL: ``chat`` runs a conversation, ``repl`` handles lines, and ``terminal`` is the thin shell around them."""

from actionledger.cli.repl.command import repl

__all__ = ["repl"]
