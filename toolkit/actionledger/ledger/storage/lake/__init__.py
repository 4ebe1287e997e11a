"""A ledger in a DuckLake: Parquet files on a disk or in S3, and a catalog database that lists them."""
