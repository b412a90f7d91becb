from pathlib import Path

import numpy as np
import pytest

import embspace
from embspace.app.api import Spaces
from embspace.errors import InputError
from tests.app.queries.measured_study import TEXTS, s, study
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
