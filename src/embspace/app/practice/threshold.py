"""Command `embspace threshold`: above which cosine two texts of a corpus are a rare pair."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from embspace.app.practice.answers import Answer, few_or_many, interval, number
from embspace.app.practice.corpora import TextsOrVectors
from embspace.app.practice.known_texts import held_out_table, precision_table, same_texts
from embspace.app.practice.lengths import lengths_table, told_of_lengths
from embspace.app.practice.reading import read_corpus
from embspace.geometry.practice.high_pairs import HighPairs
from embspace.measure.practice.scored_versions import CENTERED, RAW, check_spread, has_spread
from embspace.measure.practice.text_vectors import TextVectors, check_directions, snippet
from embspace.measure.practice.thresholds import RATES, fixed_table, pairs_at, rates_table

LEVEL = 0.95
N_SHOWN = 5
N_FEW = 10  # pairs above a threshold, below which it hangs on single pairs
SEED = 0


def threshold(
    corpus: Any,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
    known: Any = None,
    precision: float = 0.95,
    texts: int = 10_000,
    all_layers: bool = False,
) -> Answer:
    """Return the cosine that one in 10^3, 10^4, 10^5 pairs of different documents reaches.

    `rates` has this cosine with an interval over documents, raw and centered, `fixed` the pairs
    above .8, .9 and .95, `pairs` the pairs of the highest cosine with both texts, `lengths` the
    cosine among short and among long texts. With `known`, a file or table of pairs that are the
    same (columns first and second, with ids of texts), or "label" for all pairs with the same
    label: `curve`, precision and recall by threshold, and `held_out`, the threshold of a wanted
    precision, chosen on halves of the documents and tested on the remaining halves.

    Args:
        corpus: As for `read_corpus`: a file or list of texts, or vectors.
        model: A model for `embspace.spaces`; by default minilm.
        layer: From 0, the embedding output; -1 is the last.
        pooling: By default the model's usual pooling.
        tokenizer: Beside a transformers model.
        vectors: A file or array of a vector per text, in the place of a model.
        reading: How a file of texts is read, by keys of a description in conf/corpus/.
        known: Pairs of the same text.
        precision: The wanted precision.
        texts: Of a larger corpus, for the expected false alarms.
        all_layers: Whether `rates` has every layer and pooling.

    Raises:
        InputError: as `read_corpus`, or for known pairs without a text of the corpus.
    """
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    cloud = read.at(layer, pooling)
    check_directions(cloud)
    check_spread(cloud)
    same = None if known is None else same_texts(cloud, known)
    clouds = [cloud, *(_others(read, cloud) if all_layers else [])]
    pairs = {
        (place, kind): pairs_at(place, kind) for place in clouds[:1] for kind in (RAW, CENTERED)
    }
    tables = {
        "rates": pd.concat(
            [
                rates_table(place, kind, pairs.get((place, kind)) or pairs_at(place, kind), texts)
                for place in clouds
                for kind in (RAW, CENTERED)
                if kind == RAW or has_spread(place)  # the first token of layer 0 is one vector
            ],
            ignore_index=True,
        ),
        "fixed": fixed_table(cloud, pairs[cloud, RAW], texts),
        "pairs": _listed(cloud, pairs[cloud, RAW]),
        "lengths": lengths_table(cloud, RATES[0], LEVEL, np.random.default_rng(SEED)),
    }
    if same is not None:
        tables["curve"] = precision_table(cloud, same)
        tables["held_out"] = held_out_table(cloud, same, precision, np.random.default_rng(SEED))
    said = "\n".join(_said(cloud, pairs[cloud, RAW], tables, texts))
    return Answer(said, _sentence(cloud, pairs[cloud, RAW], tables), tables)


def _others(read: TextsOrVectors, cloud: TextVectors) -> Iterator[TextVectors]:
    for layer, pooling in read.places():
        other = read.at(layer, pooling)
        if other.place != cloud.place:
            yield other


def _listed(cloud: TextVectors, pairs: HighPairs) -> pd.DataFrame:
    """Return the pairs of the highest cosine with both texts, and the similarity of the words."""
    from embspace.prepare.copies import jaccard, plain_text, runs_of

    first, second = (cloud.table.iloc[rows] for rows in (pairs.first, pairs.second))
    table = pd.DataFrame(
        {
            "cosine": pairs.cosine,
            "first": first["id"].to_numpy(),
            "second": second["id"].to_numpy(),
        }
    )
    if not cloud.has_texts:
        return table
    rows = np.unique([pairs.first, pairs.second])
    runs = {row: runs_of(plain_text(cloud.table["text"].iloc[row])) for row in rows.tolist()}
    table["shared_runs"] = [
        jaccard(runs[i], runs[j]) for i, j in zip(pairs.first, pairs.second, strict=True)
    ]
    table["first_text"] = first["text"].to_numpy()
    table["second_text"] = second["text"].to_numpy()
    return table


def _said(
    cloud: TextVectors, pairs: HighPairs, tables: Mapping[str, pd.DataFrame], texts: int
) -> Iterator[str]:
    n_copies = int((cloud.table["id"] != cloud.table["copy_of"]).sum()) if cloud.has_texts else 0
    yield (
        f"{cloud.called}: {pairs.n_pairs:,} pairs of {pairs.n_documents:,} "
        f"documents{f'; {n_copies:,} copies count as their first' if n_copies else ''}"
        f"{f'; {pairs.n_zero:,} vectors of length 0 left out' if pairs.n_zero else ''}"
    )
    yield f"{'one pair in':>12}  {'raw':24}  {'centered':24}  pairs above it"
    rates = tables["rates"][tables["rates"]["place"] == cloud.place]
    for rate in RATES:
        rows = {row["preparation"]: row for _, row in rates[rates["rate"] == rate].iterrows()}
        parts = [_cosine(rows[kind]) for kind in (RAW, CENTERED)]
        few = "  (few)" if rows[RAW]["n_above"] < N_FEW else ""
        yield f"{1 / rate:12,.0f}  {parts[0]:24}  {parts[1]:24}  {rows[RAW]['n_above']:,.0f}{few}"
    for _, row in tables["fixed"].iterrows():
        expected = few_or_many(row["expected_pairs"])
        yield (
            f"above {row['cosine']:.2f}: {row['n_above']:,.0f} pairs; expected among "
            f"{texts:,} such texts: {expected}"
        )
    yield from told_of_lengths(tables["lengths"])
    yield from _known_lines(tables)
    yield "most alike:"
    for _, row in tables["pairs"].head(N_SHOWN).iterrows():
        both = [row[name] for name in ("first_text", "second_text") if name in row]
        shown = " | ".join(snippet(text, 40) for text in both)
        yield f"{row['cosine']:8.3f}  {row['first']} and {row['second']}  {shown}".rstrip()


def _known_lines(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    if "held_out" not in tables:
        return
    row = tables["held_out"].iloc[0]
    wanted = f"precision {row['wanted_precision']:g}"
    if row["n_texts"] < row["n_drawn_from"]:
        yield f"known pairs: rates of {row['n_texts']:,.0f} drawn texts, for the whole corpus"
    if row["n_listed"]:
        n_added = row["n_same"] - row["n_listed"]
        yield (
            f"known pairs: {row['n_listed']:,.0f} listed, {n_added:,.0f} added as pairs of pairs; "
            "an equal pair that the list lacks counts as wrong and lowers precision"
        )
    if not 2 * row["n_reached"] > row["n_halves"]:
        yield (
            f"no threshold has a {wanted} on {row['n_halves'] - row['n_reached']:.0f} of "
            f"{row['n_halves']:.0f} halves of the {row['n_same']:,.0f} known pairs"
        )
        return
    parts = [
        interval(row[name], row[f"{name}_low"], row[f"{name}_high"])
        for name in ("threshold", "precision", "recall")
    ]
    yield (
        f"{wanted} wanted, {row['n_same']:,.0f} known pairs: threshold {parts[0]}; held out: "
        f"precision {parts[1]}, recall {parts[2]} (ranges over halves)"
    )


def _cosine(row: pd.Series) -> str:
    if np.isnan(row["cosine"]):
        return number(row["cosine"])
    return interval(row["cosine"], row["cosine_low"], row["cosine_high"])


def _sentence(cloud: TextVectors, pairs: HighPairs, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the result as a sentence for a paper."""
    rates = tables["rates"][tables["rates"]["place"] == cloud.place]
    raw = {row["rate"]: row for _, row in rates[rates["preparation"] == RAW].iterrows()}
    enough = [rate for rate in RATES if raw[rate]["n_above"] >= N_FEW] or [RATES[0]]
    row = raw[enough[-1]]
    among = (
        f"the {pairs.n_pairs:,} pairs of different documents among the "
        f"{pairs.n_documents:,} of {cloud.called}"
    )
    if np.isnan(row["cosine"]):
        return f"By {among}, no cosine of one pair in {1 / enough[-1]:,.0f} can be measured."
    return (
        f"Of {among}, one in {1 / enough[-1]:,.0f} "
        f"has a cosine of {number(row['cosine'])} or more ({100 * LEVEL:g} % interval over "
        f"documents {number(row['cosine_low'])} to {number(row['cosine_high'])}; all pairs were "
        "compared, copies of a text being one document)."
    )
