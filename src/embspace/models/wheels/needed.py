"""Imports a library that only the conversion of wheels needs."""

from importlib import import_module
from types import ModuleType

from embspace.errors import InputError


def needed(library: str) -> ModuleType:
    """Return the module of a library of embspace's extra `wheels`.

    Raises:
        InputError: if the library is not installed.
    """
    try:
        return import_module(library)
    except ImportError as error:
        raise InputError(
            f"the package {library} is needed to convert this model, and is not installed; "
            "install it with\n  pip install -e '.[wheels]'"
        ) from error
