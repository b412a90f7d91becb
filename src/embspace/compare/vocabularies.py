"""Stage `compare_vocabularies`: how many tokens two models have in common, by kind."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import save_table
from embspace.measure.learned.vocabulary_id_ranges import KINDS
from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.models.spelling import Spelling
from embspace.settings.params import models_of
from embspace.settings.stage import StageConfig, run_stage

COLUMNS = ["definition", "kind", "n", "other_n", "n_common"]
COLUMNS += ["jaccard_index", "share_common", "other_share_common", "share_in_other"]
COLUMNS += ["other_share_in_other"]
# What makes two tokens the same.
DEFINITIONS: dict[str, Callable[[pd.DataFrame], "pd.Series[Any]"]] = {
    "as_listed": lambda tokens: tokens["token"],
    "marked": lambda tokens: tokens["text"] + tokens["subword"].map({True: "-", False: "+"}),
    "word_form": lambda tokens: tokens["text"],
    "lower_case": lambda tokens: tokens["text"].str.lower(),
}


def compare_vocabularies(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return the overlap of two vocabularies: a row per definition and kind of token.

    `one` and `other` are tables of `described_tokens` in `vocabulary_token_kinds`. Two tokens are
    the same by the string, `as_listed`; by text and position inside a word, `marked` (`##ing`
    equals `ing` in a tokenizer that marks the starts of words by `Ġ`); by the text alone,
    `word_form`; by the lower-case text, `lower_case`. Equal tokens of a model count once, also in
    `n`; bytes without text are compared only `as_listed`. Kinds are judged per model (a tokenizer
    that marks starts calls a comma a subword). Columns: the Jaccard index |A and B| / |A or B|, in
    [0, 1]; the shared part of A and of B; and the part found in the second vocabulary under any
    kind. A vocabulary is a whole population: no interval. For tokenizers that mark ends of words,
    `marked` equals `word_form`. Empty if a model has no tokenizer.
    """
    rows = []
    if len(one) and len(other):
        for definition, form in DEFINITIONS.items():
            found, other_found = (_forms(each, definition, form) for each in (one, other))
            for kind in ("all", *KINDS):
                if found[kind] or other_found[kind]:
                    rows.append((definition, kind, *_overlap(found, other_found, kind)))
    return pd.DataFrame(rows, columns=COLUMNS)


def _forms(
    tokens: pd.DataFrame, definition: str, form: Callable[[pd.DataFrame], "pd.Series[Any]"]
) -> dict[str, set[object]]:
    """The different tokens by kind, and `all`."""
    if definition != "as_listed":
        tokens = tokens[tokens["kind"] != "byte"]
    forms = form(tokens)
    return {"all": set(forms)} | {kind: set(forms[tokens["kind"] == kind]) for kind in KINDS}


def _overlap(
    one: dict[str, set[object]], other: dict[str, set[object]], kind: str
) -> tuple[float, ...]:
    a, b = one[kind], other[kind]
    common = len(a & b)
    return (
        len(a),
        len(b),
        common,
        common / len(a | b),
        _share(common, len(a)),
        _share(common, len(b)),
        _share(len(a & other["all"]), len(a)),
        _share(len(b & one["all"]), len(b)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _loaded(name: str) -> pd.DataFrame:
    spelling = load_scalars(f"results/vocabulary/{name}.json")
    vocabulary = load_rows(f"data/extracted/embeddings/{name}.parquet")
    return described_tokens(
        # Without a tokenizer there is no spelling, and no token has a text.
        vocabulary if spelling["algorithm"] else vocabulary[:0],
        Spelling(
            spelling["algorithm"],
            spelling["marks"],
            spelling["marker"],
            byte_level=spelling["byte_level"],
        ),
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    table = compare_vocabularies(*map(_loaded, models_of(config.pair)))
    save_table(table, f"results/vocabularies/{config.pair}.csv")


if __name__ == "__main__":
    run_stage(main, compare_vocabularies, groups=("pair",))
