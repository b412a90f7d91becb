"""Results held against stored baselines and published numbers."""
