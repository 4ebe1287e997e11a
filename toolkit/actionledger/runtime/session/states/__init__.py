"""The states of a session's workspace and stores, at its start and after each action, for stepping through it and for reruns.

MANIFESTS/            in the ledger's folder, for its owner only
    SESSION.jsonl     the start, then a line for each thing that happened; only ever appended to
    objects/          contents by their digest, a file each, compressed
    known/            what a workspace held when it was last looked at, so that what is unchanged is not read again
    pruned            when what is over its time was last removed
"""
