"""What others have printed, and the results of ours that decide it."""
