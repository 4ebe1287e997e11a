"""REPLAY: parse or run recorded turns again under other rules, and evaluate the difference."""
