"""What a classifier of simulated sequences has learned, against what is known of them."""
