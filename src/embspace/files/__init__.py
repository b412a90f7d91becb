"""What embspace reads and writes, one module a format."""
