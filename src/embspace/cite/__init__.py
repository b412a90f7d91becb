"""What to write of an analysis in a paper: its method in sentences, and whom to cite."""
