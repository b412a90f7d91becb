import numpy as np
import pandas as pd

from embspace.draw.words.standing_out import lead_of, stands_out

EVEN = pd.Series([1.0, 1.02, 0.98, 1.01])


def test_a_lead_is_a_share_of_the_median_of_the_others():
    assert lead_of(pd.Series([2.0, 1.0, 1.0, 3.0])) == 2.0
    assert np.isnan(lead_of(pd.Series([2.0])))


def test_a_step_stands_out_by_more_than_twice_the_lead_at_random_weights():
    assert stands_out(pd.Series([1.0, 1.0, 1.0, 1.05]), EVEN)
    assert not stands_out(pd.Series([1.0, 1.0, 1.0, 1.03]), EVEN)
    assert not stands_out(EVEN, EVEN)


def test_unknown_random_weights_decide_nothing():
    assert stands_out(EVEN, EVEN * np.nan)
