"""``python -m actionledger``: the command line without its script."""

from actionledger.cli import main

main()
