"""Running recorded sessions again: what is needed for it, how it is done, and how it is compared with the record."""
