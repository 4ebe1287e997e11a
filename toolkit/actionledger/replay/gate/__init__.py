"""A gate for changes: parse recorded turns again with a candidate, compare with a baseline, and fail if the candidate is worse."""
