"""The states of a session's workspace and stores, at its start and after each action, for stepping through it and reruns.

MANIFESTS/            in the ledger's folder, readable by its owner only
    SESSION.jsonl     the start, then a line per event; append-only
    objects/          compressed contents, one file per digest
    known/            the last seen state of each workspace, so that unchanged files are not read again
    pruned            when old states were last removed
"""
