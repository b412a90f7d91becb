"""A report: the analyses, the cost, and the page in growth during the run."""
