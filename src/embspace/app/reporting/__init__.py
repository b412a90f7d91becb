"""A report: its analyses, their cost, and the page, which fills during the run."""
