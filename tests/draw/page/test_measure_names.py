from embspace.draw.page.measure_names import MEASURES, name_of
from embspace.geometry.measures.registry import profiled_measures


def test_no_name_is_an_identifier():
    assert not [name for name in map(name_of, profiled_measures()) if "_" in name]


def test_each_name_is_that_of_one_measure():
    assert len(set(MEASURES.values())) == len(MEASURES)
