"""The one error that a user can mend: it names file, key, what was found, what is allowed."""


class InputError(Exception):
    """What came from outside does not fit; shown without a traceback."""
