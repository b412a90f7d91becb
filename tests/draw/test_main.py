from embspace.draw.__main__ import DRAWINGS, RESULTS


def test_every_drawing_says_which_results_it_takes():
    assert DRAWINGS.keys() == RESULTS.keys()
