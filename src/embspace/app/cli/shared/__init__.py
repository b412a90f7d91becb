"""Options, names and errors that several commands share."""
