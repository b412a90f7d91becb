import pandas as pd

from embspace.draw.page.sections import page_of_parts


def test_the_first_part_stands_before_the_fold():
    table = pd.DataFrame({"value": [0.12345]})
    page = page_of_parts("Ships", "measure_ships", 3, ("One", "", table), ("Two", "Note.", table))
    before, after = page.split("<details>")
    assert before.startswith("# Ships\n\nStage `measure_ships`.\n\n## One\n\n| ")
    assert "0.123" in before and "Two" not in before
    assert "## Two\n\nNote.\n\n| " in after


def test_one_part_has_no_fold():
    page = page_of_parts("Ships", "measure_ships", 3, ("One", "Note.", pd.DataFrame()))
    assert page == "# Ships\n\nStage `measure_ships`.\n\n## One\n\nNote.\n\nNone.\n"
