"""What tables of several chapters share."""
