"""A report: which analyses it has, what they cost, and the page that fills while they run."""
