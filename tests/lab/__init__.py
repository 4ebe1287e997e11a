"""Real agents and frameworks, run against a model server of our own: what it sent is the truth that every recording is held against."""
