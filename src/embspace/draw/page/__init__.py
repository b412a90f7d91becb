"""What figures and tables of all chapters share."""
