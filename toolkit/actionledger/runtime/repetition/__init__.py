"""Repetition: what an action did, in a form that compares; the patterns in a row of them; and the guard that stops a loop."""
