from pathlib import Path

import numpy as np
import pytest

import embspace
from embspace.app.api import Spaces
from embspace.app.queries.measured import Measurements
from embspace.errors import InputError
from tests.app.queries.measured_study import TEXTS, s, study
from tests.lazy import transformers
from tests.loaded.folders import tree

__all__ = ["s", "study", "tree"]


def test_other_texts_are_compared_without_paired_bounds(s: Spaces, study: Path):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study)
        others = embspace.spaces("tiny", [text.replace(" the ", " light ") for text in TEXTS])
        same = embspace.spaces("tiny", TEXTS)
    differing = s.compare(others, "search")
    assert differing["difference"].notna().any() and differing["difference_low"].isna().all()
    equal = s.compare(same, "search")
    bounds = equal[["difference", "difference_low", "difference_high"]].dropna()
    assert len(bounds) and np.array_equal(bounds, np.zeros(bounds.shape))


def test_an_analysis_that_no_two_models_are_compared_by_is_told(s: Spaces):
    with pytest.raises(InputError, match="analysis: found 'vocabulary'"):
        s.compare(s, "vocabulary")


@pytest.fixture(scope="module")
def few(study: Path) -> Spaces:
    """Spaces of two short texts, of which tables of texts have no rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study)
        return embspace.spaces("tiny", ["the cat sat", "a dog"])


@pytest.mark.parametrize("nouns", [["text_clouds"], ["search"], ["search", "text_clouds"]])
def test_texts_that_are_too_few_are_told(nouns: list[str], few: Spaces, s: Spaces):
    for one, other in ((few, few), (s, few), (few, s)):
        with pytest.raises(InputError, match=f"too few.* for {' and '.join(nouns)}, whose tables"):
            one.compare(other, *nouns)


def test_analyses_without_rows_are_left_out_beside_others(few: Spaces, s: Spaces):
    rows = s.compare(few, "search", "explained_variance")
    assert set(rows["noun"]) == {"explained_variance"}


@pytest.fixture(scope="module")
def in_memory(study: Path) -> Spaces:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(study)
        model = transformers.AutoModel.from_pretrained("models/tiny")
        tokenizer = transformers.AutoTokenizer.from_pretrained("models/tiny")
        return embspace.spaces(model, TEXTS, tokenizer=tokenizer)


def test_all_is_checked_before_anything_is_computed(
    in_memory: Spaces, s: Spaces, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Measurements, "tables", refuse)
    for one, other in ((in_memory, s), (s, in_memory)):
        with pytest.raises(InputError, match="found 'evolution', which reads the model's files"):
            one.compare(other, "search", "evolution")


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("something is computed")


def test_without_names_it_is_of_all_that_both_sides_compute(
    in_memory: Spaces, s: Spaces, monkeypatch: pytest.MonkeyPatch
):
    computed: list[str] = []
    monkeypatch.setattr(Measurements, "tables", lambda _, noun: computed.append(noun))
    monkeypatch.setattr("embspace.app.queries.measured_pairs._compared", lambda *_: ())
    for one, other in ((in_memory, s), (s, in_memory), (s, s)):
        with pytest.raises(InputError, match="too few"):
            one.compare(other)
        assert {"search", "similarity"} <= set(computed)
        assert ("evolution" in computed) == (one is other)
        computed.clear()
