import numpy as np

from embspace.app.practice.lines import effect_lines, verdict
from embspace.measure.practice.scored_versions import Scored, table_of


def test_a_line_a_version_with_its_difference_and_whether_it_is_sure():
    rng = np.random.default_rng(0)
    plain = rng.uniform(size=80)
    scores = {"plain": plain, "better": plain + 0.1, "noise": rng.permutation(plain)}
    table = table_of([Scored("search", "rank", scores, np.arange(80))])
    assert [verdict(row) for _, row in table.iterrows()] == [
        "no clear difference",
        "better",
        "no clear difference",
    ]
    lines = effect_lines(table, "search", {"plain": "as it is"})
    assert lines[0].startswith("  as it is ") and lines[1].count("(") == 2
