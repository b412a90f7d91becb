"""The command on texts that come up for every query: hubs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from embspace.app.cli.practice.options import on_corpus

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer


@on_corpus
def hubs(question: Mapping[str, Any]) -> "Answer":
    """Say which texts come up for most queries, and how to make hubs rarer.

    Shows how often a text is among the 10 nearest of other texts, beside Gaussian clouds of the
    same covariance, and the effect of centering, local scaling, mutual proximity and CSLS on
    hubness, on search by halves of texts and on neighbors of the same label.
    `embspace hubs posts.csv --results hubs`
    """
    from embspace.app.practice.hubs import hubs as hubs_of

    return hubs_of(**question)
