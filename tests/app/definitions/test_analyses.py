from pathlib import Path

import pytest

from embspace.app.definitions.measures import define
from embspace.errors import InputError
from embspace.graph.declarations import declaration, modules, plain_question


def test_an_analysis_is_said_with_its_tables_and_settings(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    text = define("helix")
    for part in (
        "Do the positions wind, and how fast?",
        "  results/helix/periods/<model>.csv\n",
        "first_position         first position\n",
        "Settings, conf/measure/positional/helix.yaml\n  n_shuffles: 200\n",
        "embspace cite MODEL helix",
    ):
        assert part in text


@pytest.mark.parametrize("noun", [*modules()])
def test_every_declared_analysis_is_described_with_every_column(
    noun: str, root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    text, analysis = define(noun.replace("_", " ")), declaration(noun).analysis
    assert f"{noun}\n\n{plain_question(analysis)}" in text
    for path in analysis.deps():
        assert path.translate(str.maketrans("{}", "<>")) in text
    for table in analysis.tables.values():
        assert all(f"    {name}" in text for name in table.columns)


def test_a_word_near_an_analysis_is_told():
    with pytest.raises(InputError, match="did you mean 'helix'"):
        define("helixx")
