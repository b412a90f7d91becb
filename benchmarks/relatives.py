"""`make relatives`: which measure of alignment finds the blocks that two models share?

docs/relatives.md says what is known of MiniLM-L3 and MiniLM-L6, and has the test, fixed before its
results. This does it, and writes benchmarks/relatives.md.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from threadpoolctl import threadpool_limits

from embspace.compare.model_states import load_corpus_states
from embspace.compare.same_points import Views, point_sets
from embspace.draw.page.markdown import markdown_table
from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.files.rows import load_rows
from embspace.files.tables import load_table
from embspace.geometry.groups.alignment import procrustes_fit, procrustes_similarity
from embspace.geometry.inference.resampling import half_sample_bounds
from embspace.models.weights import load_model
from embspace.settings.model import Network, describe_model
from embspace.settings.params import read_params
from embspace.settings.schema import read_yaml

PAGE = Path("benchmarks/relatives.md")
SMALL, LARGE, CONTROL = "minilm_l3", "minilm", "minilm_random"
SETTINGS = Path("conf/compare/alignment.yaml")
MEASURES = ("debiased_linear_cka", "procrustes_similarity", "mutual_nearest_neighbors")
FIRST_VIEW = ("articles", "word")
VIEWS = (FIRST_VIEW, ("articles", "text"), ("posts", "word"), ("posts", "text"))
MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
SHARED, UNRELATED = 0.5, 0.1  # cosines of weights: of blocks that were one, of any others
Key = dict[int, tuple[int, ...]]
"""Of each block of the small model, counted from 1, the blocks of the large one that it was."""
EXACT: Key = {1: (2,), 2: (4,), 3: (6,)}
NEAR: Key = {1: (2, 3), 2: (4, 5), 3: (6,)}
Outcome = Literal["found", "missed", "open"]
Verdict = Literal["matches", "differs", "undecided", "depends on the view"]


class Bounded(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float


Values = dict[tuple[int, int], Bounded]
"""By the block of the small model and that of the large one."""


def block_cosines(small: Any, large: Any) -> Float[np.ndarray, "small large"]:
    """Return the cosine of the weights of each block of a BERT with each of another's."""
    one, other = (_unit_blocks(module) for module in (small, large))
    return one @ other.T


def _unit_blocks(module: Any) -> Float[np.ndarray, "block weight"]:
    blocks = [
        np.concatenate(
            [
                block.get_submodule(name).weight.detach().numpy().ravel().astype(np.float64)
                for name in MATRICES
            ]
        )
        for block in module.encoder.layer
    ]
    return np.stack([weights / np.linalg.norm(weights) for weights in blocks])


def key_of(cosines: Float[np.ndarray, "small large"]) -> Key | None:
    """Return which blocks were one, as the weights have it; None where they do not say."""
    exact = np.zeros(cosines.shape, dtype=bool)
    for block, others in EXACT.items():
        exact[block - 1, others[0] - 1] = True
    if (cosines[exact] > SHARED).all() and (cosines[~exact] < UNRELATED).all():
        return EXACT
    return NEAR if (cosines < UNRELATED).all() else None


def outcome_of(block: int, values: Values, key: Key) -> Outcome:
    """Return whether a measure finds a block: by the intervals of differences from all others."""
    theirs = max((values[block, other] for other in key[block]), key=lambda bounded: bounded.value)
    others = {other for small, other in values if small == block} - set(key[block])
    differences = [_difference(theirs, values[block, other]) for other in sorted(others)]
    if any(difference.high < 0 for difference in differences):
        return "missed"
    return "found" if all(difference.low > 0 for difference in differences) else "open"


def _difference(x: Bounded, y: Bounded) -> Bounded:
    """By the interval of both (Zou and Donner 2008), as if they were independent."""
    value = x.value - y.value
    below = math.hypot(x.value - x.low, y.high - y.value)
    above = math.hypot(x.high - x.value, y.value - y.low)
    return Bounded(value, value - below, value + above)


def verdict_of(by_view: Sequence[Sequence[Outcome]]) -> Verdict:
    """Return the verdict on a measure from the outcomes of all blocks, of the first view first."""
    verdicts = [_verdict_of_view(outcomes) for outcomes in by_view]
    opposite = {"matches": "differs", "differs": "matches"}.get(verdicts[0])
    return "depends on the view" if opposite in verdicts[1:] else verdicts[0]


def _verdict_of_view(outcomes: Sequence[Outcome]) -> Verdict:
    if "missed" in outcomes:
        return "differs"
    return "undecided" if "open" in outcomes else "matches"


def procrustes_values(
    views: Views, *, n_resamples: int, level: float, generator: np.random.Generator
) -> Values:
    """Return the Procrustes similarity of every two blocks, by halves with the rotation held."""
    chosen = np.zeros((views.n, 1 + n_resamples))
    chosen[:, 0] = 1  # all
    for draw in range(1, 1 + n_resamples):
        chosen[generator.choice(views.n, views.n // 2, replace=False), draw] = 1
    similarities = {}
    for small, large in product(range(1, len(views.x)), range(1, len(views.y))):
        x, y = views.x[small].astype(np.float64), views.y[large].astype(np.float64)
        fit = procrustes_fit(x, y)
        lengths = fit.squared_lengths @ chosen
        drawn = fit.products @ chosen / np.sqrt(lengths[0] * lengths[1])
        low, high = half_sample_bounds(drawn[:1], drawn[1:, np.newaxis], views.n, level=level)[:2]
        similarities[small, large] = Bounded(
            procrustes_similarity(x, y), float(low[0]), float(high[0])
        )
    return similarities


def table_values(table: pd.DataFrame) -> Values:
    """Return what `compare_alignment` has of a measure and a view, without the embeddings."""
    rows = table[(table["layer"] > 0) & (table["other_layer"] > 0)]
    columns = ["layer", "other_layer", "value", "low", "high"]
    return {
        (int(layer), int(other)): Bounded(value, low, high)
        for layer, other, value, low, high in rows[columns].itertuples(index=False)
    }


def measured(other: str) -> dict[str, list[Values]]:
    """Return the values by measure, view by view, of `SMALL` beside another model.

    Raises:
        InputError: if the two were not compared.
    """
    settings = read_yaml(SETTINGS)
    params = read_params()
    table = load_table(f"results/alignment/{SMALL}--{other}.csv")
    corpora = sorted({corpus for corpus, _ in VIEWS})
    states = [
        load_corpus_states(f"data/extracted/hidden_states/{name}", corpora)
        for name in (SMALL, other)
    ]
    texts = {name: load_rows(f"data/prepared/texts/{name}.parquet") for name in corpora}
    settled = {"word_corpora": corpora, "largest_n": settings["largest_n"], "seed": params.seed}
    points = {
        (points.corpus, points.unit): points.views
        for points in point_sets(texts, {}, *states, **settled)
    }
    by_measure: dict[str, list[Values]] = {name: [] for name in MEASURES}
    for corpus, unit in VIEWS:
        rows_of_view = table[(table["corpus"] == corpus) & (table["unit"] == unit)]
        views = points.get((corpus, unit))
        if views is None or rows_of_view.empty:
            raise InputError(f"corpus '{corpus}': has too few {unit}s that both models have read")
        for measure in MEASURES:
            if measure == "procrustes_similarity":
                values = procrustes_values(
                    views,
                    n_resamples=settings["n_resamples"],
                    level=settings["level"],
                    generator=np.random.default_rng(params.seed),
                )
            else:
                values = table_values(rows_of_view[rows_of_view["measure"] == measure])
            by_measure[measure].append(values)
    return by_measure


def verdicts_table(by_measure: dict[str, list[Values]], key: Key) -> pd.DataFrame:
    """Return a row a measure: blocks found, the most like block of each, and the verdict."""
    rows = []
    for measure, views in by_measure.items():
        outcomes = [[outcome_of(block, values, key) for block in key] for values in views]
        first = views[0]
        largest = [_most_like(block, first) for block in key]
        rows.append(
            {
                "measure": f"`{measure}`",
                "found": outcomes[0].count("found"),
                "blocks": ", ".join(outcomes[0]),
                "most_like": ", ".join(map(str, largest)),
                "rising": largest == sorted(set(largest)),
                "other_views": "; ".join(map(_verdict_of_view, outcomes[1:])),
                "verdict": verdict_of(outcomes),
            }
        )
    return pd.DataFrame(rows).sort_values("found", ascending=False, kind="stable")


def _most_like(block: int, values: Values) -> int:
    return max((other for small, other in values if small == block), key=lambda o: values[block, o])


def page(
    cosines: dict[str, Float[np.ndarray, "small large"]],
    key: Key | None,
    by_model: dict[str, dict[str, list[Values]]],
) -> str:
    """Return the page of results; without a key there are cosines alone."""
    parts = [
        "# Which measure finds the blocks that two models share?\n",
        "Written by `make relatives`; the test is [docs/relatives.md](../docs/relatives.md).\n",
    ]
    for name, values in cosines.items():
        parts += [f"## Cosines of weights with those of `{name}`\n", _cosine_table(values), ""]
    if key is None:
        return "\n".join([*parts, "The weights do not say which blocks were one: no verdict.\n"])
    named = ", ".join("/".join(map(str, others)) for others in key.values())
    parts.append(f"The key is *{'exact' if key == EXACT else 'near'}*: {named}.\n")
    for name, by_measure in by_model.items():
        words = "the control" if name == CONTROL else "the relative"
        parts += [
            f"## Beside `{name}`, {words}\n",
            markdown_table(verdicts_table(by_measure, key), 0),
        ]
        parts += [f"\n### Values of the first view, {' '.join(FIRST_VIEW)}s\n"]
        parts += [markdown_table(_value_table(by_measure), 3), ""]
    return "\n".join(parts)


def _cosine_table(values: Float[np.ndarray, "small large"]) -> str:
    table = pd.DataFrame(
        values, columns=[f"block {number + 1}" for number in range(values.shape[1])]
    )
    table.insert(0, f"of {SMALL}", [f"block {number + 1}" for number in range(len(values))])
    return markdown_table(table, 3)


def _value_table(by_measure: dict[str, list[Values]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"measure": f"`{measure}`", "block": str(small), "other_block": str(large)}
            | {"value": bounded.value, "value_low": bounded.low, "value_high": bounded.high}
            for measure, views in by_measure.items()
            for (small, large), bounded in sorted(views[0].items())
        ]
    )


def _modules(names: Iterable[str]) -> dict[str, Any]:
    loaded = {}
    for name in names:
        model = describe_model(name, read_yaml(Path(f"conf/model/{name}.yaml")))
        assert isinstance(model, Network)
        loaded[name] = load_model(name, model)
    return loaded


def main() -> None:
    """All of it."""
    modules = _modules((SMALL, LARGE, CONTROL))
    cosines = {name: block_cosines(modules[SMALL], modules[name]) for name in (LARGE, CONTROL)}
    key = key_of(cosines[LARGE])
    with threadpool_limits(1, user_api="blas"):
        text = page(cosines, key, {name: measured(name) for name in (LARGE, CONTROL)})
    print(text)
    with writing(PAGE) as partial_page:
        partial_page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
