"""What checks types and shapes while tests run; an int passes for a float."""

from typing import Any

import jaxtyping

from tests.first_calls import first_calls_checked

jaxtyping.jaxtyped = first_calls_checked(jaxtyping.jaxtyped)


def check_types(checked: Any) -> Any:
    """Return the function or class with its checks; see `addopts` in pyproject.toml."""
    from beartype import BeartypeConf, beartype  # which CI's recomputation has not

    return beartype(conf=BeartypeConf(is_pep484_tower=True))(checked)
