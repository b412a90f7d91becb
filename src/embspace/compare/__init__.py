"""What two models have in common, and what not: one module a stage, one table a pair."""
