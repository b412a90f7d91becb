"""Command `embspace drift`: two versions of a model, or of its vectors, on the same texts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.app.practice.answers import Answer, number
from embspace.app.practice.corpora import CorpusOfTexts, TextsOrVectors
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError, counted
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.geometry.practice.high_pairs import high_pairs
from embspace.geometry.practice.rare_cosines import rare_cosine
from embspace.geometry.practice.versions import TextChanges, compare_versions
from embspace.measure.practice.text_vectors import TextVectors, check_directions, snippet

SEED = 0
K = 10
RARE = 1e-3  # of the pairs, which the threshold of cosines calls alike
N_ALONE = 100  # texts that are read one by one, for the noise of rounding
N_HALF_SAMPLES = 200
LEVEL = 0.95
N_SHOWN = 5
NAMES = {
    "cosine_distance": "1 - cosine of a text's two vectors",
    "neighbors_kept": f"{K} nearest texts that stay",
    "first_kept": "texts whose first hit stays first",
    "flipped": "pairs above the threshold that flip",
    "search": "reciprocal rank, search by halves",
}


class _Pair(NamedTuple):
    first: TextVectors
    second: TextVectors
    thresholds: tuple[float, float]
    """Cosines of the rarest pairs, in the first and in the second version."""
    changes: TextChanges
    n_left_out: int
    """Texts of a single version."""


def versions(
    corpus: Any,
    model: Any = None,
    *,
    other_model: Any = None,
    other_vectors: Any = None,
    number_type: str | None = None,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> Answer:
    """Return how far two versions of a model are apart on the same texts.

    The second version is `other_model`, `other_vectors` (a file or an array, computed elsewhere: by
    a different library, a quantized copy), or the model with weights of `number_type`. Tables:
    `texts`, and `changes`, with intervals over documents, beside the noise of rounding (texts read
    singly instead of in batches) and beside unrelated vectors.

    Raises:
        InputError: as `read_corpus`; unless exactly one second version is named.
    """
    given = [version is not None for version in (other_model, other_vectors, number_type)]
    if sum(given) != 1:
        raise InputError(
            f"a second version: found {sum(given)}, allowed: one of --other-model, "
            "--other-vectors, --number-type"
        )
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    first = read.at(layer, pooling)
    other = _second(read, corpus, other_model, other_vectors, number_type, reading)
    second = other.at(*((layer, pooling) if other_vectors is None else (-1, None)))
    pair = _compared(first, second, is_one_space=other_model is None)
    rounding = _rounding(read, pair.first, layer, pooling, pair.thresholds[0])
    tables = {"changes": _changes(pair, rounding, read, other, layer, pooling)}
    tables["texts"] = _texts(pair)
    return Answer("\n".join(_said(pair, tables, rounding)), _sentence(pair, tables), tables)


def _second(
    read: TextsOrVectors,
    corpus: Any,
    other_model: Any,
    other_vectors: Any,
    number_type: str | None,
    reading: Mapping[str, Any] | None,
) -> TextsOrVectors:
    if other_vectors is not None and not isinstance(read, CorpusOfTexts):
        return read_corpus(other_vectors)
    if other_vectors is not None:
        return read_corpus(corpus, vectors=other_vectors, reading=reading)
    if not isinstance(read, CorpusOfTexts):
        raise InputError("vectors: found beside another model, allowed: beside --other-vectors")
    if other_model is not None:
        return read_corpus(corpus, model=other_model, reading=reading)
    from embspace.app.practice.read_again import read_in
    from embspace.settings.roots import find_root

    return read_in(read, str(number_type), find_root())


def _in_both(first: TextVectors, second: TextVectors) -> tuple[TextVectors, TextVectors]:
    """Return the texts of both versions, by id; rows of vectors alone go by position.

    Raises:
        InputError: if rows of vectors alone differ in number.
    """
    if not (first.has_texts and second.has_texts):
        if len(first) != len(second):
            raise InputError(
                f"{second.corpus}: found {len(second):,} vectors, allowed: {len(first):,}, one for "
                "each text"
            )
        return first, second
    place = pd.Index(second.table["id"]).get_indexer(first.table["id"])
    rows = np.flatnonzero(place >= 0), place[place >= 0]
    one, other = (
        replace(
            version,
            vectors=version.vectors[chosen],
            table=version.table.iloc[chosen].reset_index(drop=True),
        )
        for version, chosen in zip((first, second), rows, strict=True)
    )
    return one, other


def _compared(first: TextVectors, second: TextVectors, *, is_one_space: bool) -> _Pair:
    n_texts = len(first) + len(second)
    first, second = _in_both(first, second)
    for version in (first, second):
        check_directions(version)
    documents = first.documents
    n = len(np.unique(documents))
    if n <= K:
        raise InputError(f"{first.corpus}: found {n} documents, allowed: more than {K}")
    one, other = (_rare_cosine(version.vectors, documents) for version in (first, second))
    changes = compare_versions(
        first.vectors, second.vectors, documents, k=K, thresholds=(one, other)
    )
    if not is_one_space:  # coordinates of two models have nothing to do with each other
        changes = changes._replace(cosine=np.full(len(first), np.nan))
    return _Pair(first, second, (one, other), changes, n_texts - 2 * len(first))


def _rare_cosine(x: Float[np.ndarray, "text dim"], documents: Int[np.ndarray, " text"]) -> float:
    rng = np.random.default_rng(SEED)
    pairs = high_pairs(x, documents, largest_rate=RARE, n_listed=0, rng=rng)
    return rare_cosine(pairs, RARE, level=LEVEL).cosine


def _rounding(
    read: TextsOrVectors, first: TextVectors, layer: int, pooling: str | None, threshold: float
) -> TextChanges | None:
    """Return the changes by rounding among some texts; None for vectors, and for few documents."""
    if not isinstance(read, CorpusOfTexts):
        return None
    from embspace.app.practice.read_again import read_alone
    from embspace.settings.roots import find_root

    alone = read_alone(read, N_ALONE, find_root()).at(layer, pooling)
    batched, alone = _in_both(first, alone)
    if len(np.unique(batched.documents)) <= K:
        return None
    return compare_versions(
        *(batched.vectors, alone.vectors, batched.documents),
        k=K,
        thresholds=(threshold, threshold),
    )


def _values(changes: TextChanges) -> dict[str, Float[np.ndarray, " text"]]:
    values = {
        "neighbors_kept": changes.neighbors_kept,
        "first_kept": (changes.first_rank == 1).astype(float),
    }
    has_cosine = np.isfinite(changes.cosine).any()
    return {"cosine_distance": 1 - changes.cosine} | values if has_cosine else values


def _changes(
    pair: _Pair,
    rounding: TextChanges | None,
    read: TextsOrVectors,
    other: TextsOrVectors,
    layer: int,
    pooling: str | None,
) -> pd.DataFrame:
    """Return a row a quantity: value, interval over documents, rounding, unrelated vectors."""
    changes, documents, n = pair.changes, pair.first.documents, len(pair.first)
    noise = _values(rounding) if rounding else {}
    chance = {"neighbors_kept": K / (n - 1), "first_kept": 1 / (n - 1)}
    rows = []
    for quantity, values in _values(changes).items():
        given = changes.neighbors_given if quantity == "neighbors_kept" else 0
        rows.append(
            {
                "quantity": quantity,
                **_mean(values + given, np.ones(n), documents),
                "largest": float(values.max()),
                "rounding": float(noise[quantity].mean()) if noise else np.nan,
                "unrelated": chance.get(quantity, np.nan),
            }
        )
    rows.append(
        {
            "quantity": "flipped",
            **_mean(changes.n_flipped, changes.n_pairs, documents),
            "rounding": _flipped(rounding) if rounding else np.nan,
        }
    )
    return pd.DataFrame([*rows, *_search(read, other, layer, pooling)])


def _flipped(changes: TextChanges) -> float:
    total = float(changes.n_pairs.sum())
    return float(changes.n_flipped.sum()) / total if total else 0.0


def _mean(
    over: Float[np.ndarray, " text"],
    under: Float[np.ndarray, " text"],
    documents: Int[np.ndarray, " text"],
) -> dict[str, float]:
    """Return the ratio of two sums with an interval over documents."""
    sums = [np.bincount(documents, values) for values in (over, under)]

    def ratio_of(chosen: Int[np.ndarray, " document"]) -> np.ndarray:
        total = sums[1][chosen].sum()
        return np.array(sums[0][chosen].sum() / total if total else np.nan)

    bounds = half_sample_interval(
        ratio_of,
        len(sums[0]),
        n_resamples=N_HALF_SAMPLES,
        level=LEVEL,
        generator=np.random.default_rng(SEED),
    )
    value = float(ratio_of(np.arange(len(sums[0]))))
    return {"value": value, "low": float(bounds.low), "high": float(bounds.high)}


def _search(
    read: TextsOrVectors, other: TextsOrVectors, layer: int, pooling: str | None
) -> Iterator[dict[str, Any]]:
    """Yield the reciprocal rank of a text's second half, as difference between the versions."""
    if not (isinstance(read, CorpusOfTexts) and isinstance(other, CorpusOfTexts)):
        return
    halves = [version.halves_at(layer, pooling) for version in (read, other)]
    if halves[0] is None or halves[1] is None:
        return
    scores = [_reciprocal_ranks(half) for half in halves]
    if len(scores[0]) != len(scores[1]):
        return
    documents = np.unique(halves[0].documents, return_inverse=True)[1]
    yield {
        "quantity": "search",
        **_mean(scores[1] - scores[0], np.ones(len(scores[0])), documents),
        "first_version": float(scores[0].mean()),
        "second_version": float(scores[1].mean()),
    }


def _reciprocal_ranks(half: Any) -> Float[np.ndarray, " query"]:
    from embspace.geometry.pairs.directions import cosine_matrix

    cosine = np.nan_to_num(cosine_matrix(half.queries, half.candidates), nan=-1)
    right = np.where(half.relevant, cosine, -np.inf).max(axis=1)
    wrong = np.where(half.relevant, -np.inf, cosine)
    return np.asarray(1 / (1 + (wrong > right[:, None]).sum(axis=1)))


def _texts(pair: _Pair) -> pd.DataFrame:
    """Return the changes by text, the largest first."""
    table = pair.first.table
    made = pd.DataFrame({"id": table["id"], **pair.changes._asdict()})
    made["text"] = [snippet(text, 200) for text in table["text"]]
    by = ["cosine", "neighbors_kept", "first_rank"]
    made = made.sort_values(by, ascending=[True, True, False], kind="stable")
    return made.reset_index(drop=True)


def _said(
    pair: _Pair, tables: Mapping[str, pd.DataFrame], rounding: TextChanges | None
) -> Iterator[str]:
    first, second = pair.first, pair.second
    yield f"{first.corpus}: {counted(len(first), 'text')}, {first.place} and {second.place}"
    if pair.n_left_out:
        yield f"{counted(pair.n_left_out, 'text')} left out, with a vector in one version alone"
    one, other = pair.thresholds
    yield f"threshold of alike pairs: {one:.3f} and {other:.3f}, which {RARE:g} of the pairs reach"
    yield f"  {'':36}  {'value':>9}  {'95 % interval':>21}  {'rounding':>9}  {'unrelated':>9}"
    for _, row in tables["changes"].iterrows():
        bounds = f"{_short(row['low'])} to {_short(row['high'])}"
        yield (
            f"  {NAMES[row['quantity']]:36}  {_short(row['value']):>9}  {bounds:>21}  "
            f"{_short(row['rounding']):>9}  {_short(row.get('unrelated', np.nan)):>9}"
        )
    if rounding is not None and np.isfinite(pair.changes.cosine).all():
        largest = float((1 - rounding.cosine).max())
        n = int((1 - pair.changes.cosine > largest).sum())
        yield f"{n:,} texts moved by more than rounding did at most (1 - cosine {largest:.2g})"
    if rounding is not None:
        yield f"rounding: among {counted(len(rounding.cosine), 'text')} drawn evenly"
    yield "texts that changed most"
    for _, row in tables["texts"].head(N_SHOWN).iterrows():
        kept = f"{100 * row['neighbors_kept']:3.0f} % kept"
        cosine = "" if np.isnan(row["cosine"]) else f"{number(row['cosine'], 6)}  "
        yield f"  {cosine}{kept}  {row['id']}  {snippet(row['text'])}".rstrip()


def _short(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}"


def _sentence(pair: _Pair, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the result as a sentence for a paper."""
    rows = tables["changes"].set_index("quantity")
    kept, first = rows.loc["neighbors_kept"], rows.loc["first_kept"]
    noise = "" if np.isnan(kept["rounding"]) else f" ({kept['rounding']:.4f} by rounding alone)"
    return (
        f"On {len(pair.first):,} texts of {pair.first.corpus}, {pair.second.place} keeps "
        f"{kept['value']:.4f} ({kept['low']:.4f} to {kept['high']:.4f}) of the {K} nearest texts "
        f"of {pair.first.place}{noise} and {first['value']:.4f} of the first hits (95 % intervals "
        "over documents)."
    )
