"""Stage `compare_vocabularies`: how many tokens two models have in common, by kind."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from embspace.analysis import Analysis, Outcome, Table
from embspace.compare.both_models import both_models
from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import Row
from embspace.measure.learned.vocabulary_id_ranges import KINDS
from embspace.measure.learned.vocabulary_token_kinds import described_tokens
from embspace.measure.tables.columns import shown
from embspace.models.spelling import Spelling
from embspace.settings.stage import run_stage


def load_described_tokens(spelling: str, vocabulary: str) -> pd.DataFrame:
    """Return the tokens of a model with their texts; none without a tokenizer."""
    said, tokens = load_scalars(spelling), load_rows(vocabulary)
    return described_tokens(
        # Without a tokenizer there is no spelling, and no token has a text.
        tokens if said["algorithm"] else tokens[:0],
        Spelling(said["algorithm"], said["marks"], said["marker"], byte_level=said["byte_level"]),
    )


VOCABULARIES = Analysis(
    noun="vocabularies",
    question="Which tokens do two models have in common?",
    reads=both_models(
        "tokens",
        load_described_tokens,
        "results/vocabulary/{model}.json",
        "data/extracted/embeddings/{model}.parquet",
    ),
    tables={
        "csv": Table(
            {
                **shown("row", "definition", "kind"),
                **shown("count", "n", "other_n", "n_common"),
                **shown("moment", "jaccard_index", "share_common", "other_share_common"),
                **shown("moment", "share_in_other", "other_share_in_other"),
            }
        )
    },
    verb="compare",
    over="compared",
)
# What makes two tokens the same.
DEFINITIONS: dict[str, Callable[[pd.DataFrame], "pd.Series[Any]"]] = {
    "as_listed": lambda tokens: tokens["token"],
    "marked": lambda tokens: tokens["text"] + tokens["subword"].map({True: "-", False: "+"}),
    "word_form": lambda tokens: tokens["text"],
    "lower_case": lambda tokens: tokens["text"].str.lower(),
}


def compare_vocabularies(tokens: pd.DataFrame, other_tokens: pd.DataFrame) -> Outcome:
    """Return the overlap of two vocabularies: a row per definition and kind of token.

    The tokens are tables of `described_tokens` in `vocabulary_token_kinds`. Two tokens are
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
    if len(tokens) and len(other_tokens):
        for definition, form in DEFINITIONS.items():
            forms = _forms(tokens, definition, form)
            other_forms = _forms(other_tokens, definition, form)
            for kind in ("all", *KINDS):
                if forms[kind] or other_forms[kind]:
                    overlap = _overlap(forms, other_forms, kind)
                    rows.append({"definition": definition, "kind": kind, **overlap})
    return {"csv": VOCABULARIES.tables["csv"].of(rows)}


def _forms(
    tokens: pd.DataFrame, definition: str, form: Callable[[pd.DataFrame], "pd.Series[Any]"]
) -> dict[str, set[object]]:
    """The different tokens by kind, and `all`."""
    if definition != "as_listed":
        tokens = tokens[tokens["kind"] != "byte"]
    forms = form(tokens)
    return {"all": set(forms)} | {kind: set(forms[tokens["kind"] == kind]) for kind in KINDS}


def _overlap(one: dict[str, set[object]], other: dict[str, set[object]], kind: str) -> Row:
    a, b = one[kind], other[kind]
    common = len(a & b)
    return {
        "n": len(a),
        "other_n": len(b),
        "n_common": common,
        "jaccard_index": common / len(a | b),
        "share_common": _share(common, len(a)),
        "other_share_common": _share(common, len(b)),
        "share_in_other": _share(len(a & other["all"]), len(a)),
        "other_share_in_other": _share(len(b & one["all"]), len(b)),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


main = VOCABULARIES.main(compare_vocabularies)

if __name__ == "__main__":
    run_stage(main, compare_vocabularies, groups=("pair",))
