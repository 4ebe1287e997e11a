"""``python -m actionledger`` runs the command line without its script."""

from actionledger.cli import main

main()
