"""What a person calls."""
