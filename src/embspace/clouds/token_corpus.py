"""The largest corpus with states of single tokens."""

from collections.abc import Iterable

from embspace.clouds.layers import CorpusStates, load_corpora_states


def load_token_corpus(
    extracted: str, prepared: str, corpora: Iterable[str]
) -> tuple[str, CorpusStates] | None:
    """Return the name and states of the corpus with most tokens; None without states by token."""
    loaded = load_corpora_states(extracted, prepared, corpora)
    known = {name: own for name, own in loaded.items() if "token" in own.states and len(own.tokens)}
    if not known:
        return None
    name = max(known, key=lambda corpus: len(known[corpus].tokens))
    return name, known[name]
