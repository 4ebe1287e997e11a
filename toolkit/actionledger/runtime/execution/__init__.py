"""Execute checked calls: approve, run, record, and report to the model."""
