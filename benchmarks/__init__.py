"""How fast embspace is, beside what else there is: `make bench` writes table.md."""
