"""Says how much of texts a tokenizer does not know: an unknown token is no word of any."""

import logging
from collections.abc import Sequence
from typing import Any

from embspace.models.windows import Window


def share_unknown(windows: Sequence[Window], unknown: int | None) -> float:
    """Return the share of unknown tokens, with this id, in the texts; 1 without any token."""
    return share_of(*count_unknown(windows, unknown))


def share_of(n_unknown: int, n_known: int) -> float:
    """Return the share of unknown tokens among these numbers; 1 without any token."""
    return n_unknown / (n_unknown + n_known) if n_unknown + n_known else 1.0


def count_unknown(windows: Sequence[Window], unknown: int | None) -> tuple[int, int]:
    """Return how many tokens of the texts are unknown and how many are known."""
    n_known = sum(int((~window.special).sum()) for window in windows)
    # Where the frame has the same token, that stands for no text.
    n_unknown = sum(
        int(((window.ids == unknown) & (window.end > window.start)).sum()) for window in windows
    )
    return n_unknown, n_known


def is_known(
    windows: Sequence[Window], tokenizer: Any, *, largest_unknown_share: float, texts: str
) -> bool:
    """Whether enough tokens of texts are known for results; otherwise log a message.

    `texts` is the name of the texts in the log.
    """
    share = share_unknown(windows, tokenizer.unk_token_id)
    if share <= largest_unknown_share:
        return True
    logging.getLogger(__name__).warning("%s", not_checkable(texts, share, largest_unknown_share))
    return False


def not_checkable(texts: str, share: float, largest: float) -> str:
    """Return the reason why texts are not read."""
    return (
        f"{texts}: {100 * share:.3g} % of the tokens are unknown to the tokenizer, more than "
        f"{100 * largest:g} %: what is measured of these texts is not checkable, and is empty"
    )
