"""What `make bench` and `make bench-coverage` measure: speed, and how often intervals hold."""
