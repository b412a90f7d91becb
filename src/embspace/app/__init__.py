"""Commands and the Python interface that people call."""
