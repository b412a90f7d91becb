"""The command on texts that come up for every query: hubs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from embspace.app.cli.practice.options import on_corpus

if TYPE_CHECKING:
    from embspace.app.practice.answers import Answer


@on_corpus
def hubs(question: Mapping[str, Any]) -> "Answer":
    """Say which texts come up for most queries, and what makes such hubs rarer.

    How often a text is among the 10 nearest of others, beside Gaussian clouds of the same
    covariance; what centering, local scaling, mutual proximity and CSLS change, for hubness, for
    search by halves of texts and for neighbors of one label.
    `embspace hubs posts.csv --results hubs`
    """
    from embspace.app.practice.hubs import hubs as hubs_of

    return hubs_of(**question)
