"""Keep a ledger sound: health, proofs, erasure, migrations, and checks of the rollups."""
