"""What `scan_pairs` is made of: blocks of all pairs, and compiled loops over them."""
