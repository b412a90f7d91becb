"""What several models have in common: one module a stage, one table a noun for all of them."""
