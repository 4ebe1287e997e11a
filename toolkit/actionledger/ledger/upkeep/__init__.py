"""What keeps a ledger sound: health, proofs, forgetting, migrations, and the rollups' checking."""
