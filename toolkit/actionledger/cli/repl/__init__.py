"""The REPL: ``chat`` leads a conversation, ``repl`` takes lines, ``terminal`` is the thin shell around them."""

from actionledger.cli.repl.command import repl

__all__ = ["repl"]
