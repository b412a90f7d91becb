"""The page of a report, in parts."""
