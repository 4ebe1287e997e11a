"""Detect repetition: comparable fingerprints of actions, patterns in their sequence, and the guard that stops a loop."""
