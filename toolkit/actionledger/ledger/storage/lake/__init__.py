"""A DuckLake: Parquet files on a disk or in S3, and a catalog database that says which of them are the tables."""
