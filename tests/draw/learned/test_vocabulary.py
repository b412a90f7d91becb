from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.learned.vocabulary import _words_get, draw_vocabulary
from embspace.draw.page.canvas import stage_of
from embspace.draw.page.saving import Results
from embspace.files.scalars import load_scalars, save_scalars
from embspace.files.tables import load_table, save_table
from embspace.measure.learned.vocabulary import VOCABULARY, measure_vocabulary
from embspace.models.spelling import Spelling
from embspace.settings.schema import read_yaml
from tests.analyses import as_drawn, settings_of
from tests.conftest import ROOT
from tests.draw.fits import assert_words_fit

SETTINGS = settings_of(draw_vocabulary, digits=2)
WORD_PIECE = Spelling("WordPiece", "continuation", "##", byte_level=False)
TOKENS = ["[PAD]", "[unused0]", "!", "|", "`", '"', "the", "nan", "1999", "##ing", "##s", "..."]
TOKENS += [f"##{letter}" for letter in "abc"] + ["cats", "dogs", "é"]


def results(tmp_path: Any, spelling: Spelling | None) -> Results:
    """As the stage leaves them in files, in blocks of five ids."""
    kinds = {"[PAD]": "special", "[unused0]": "unused"}
    kind = [kinds.get(token, "other") for token in TOKENS]
    table = pd.DataFrame({"id": range(len(TOKENS)), "token": TOKENS, "kind": kind})
    settings = read_yaml(ROOT / "conf/measure/learned/vocabulary.yaml")
    settings |= {"block_size": 5, "shortest_run": 3, "example_texts": {"mine": "the dogs|"}}
    ids_of = (lambda text: [6, 16, 3]) if spelling else None
    vocabulary = measure_vocabulary(table, spelling, ids_of, **settings)
    save_scalars(vocabulary["json"], str(tmp_path / "a.json"))
    loaded = {"json": load_scalars(str(tmp_path / "a.json"))}
    for name in VOCABULARY.tables:
        save_table(vocabulary[name], str(tmp_path / f"{name}.csv"))
        loaded[name] = load_table(str(tmp_path / f"{name}.csv"))
    return as_drawn(VOCABULARY, loaded)


def test_bars_are_the_shares_of_the_kinds_and_lengths_those_of_the_table(tmp_path: Any):
    loaded = results(tmp_path, WORD_PIECE)
    figure, _ = draw_vocabulary(loaded, "a model of a long name", **SETTINGS)
    assert_words_fit(figure)
    assert stage_of(figure) == "measure_vocabulary"
    shares, kinds, by_id = figure.axes
    n = loaded["id_blocks"].filter(regex="^n_").sum()
    drawn = [bar.get_width() for bars in shares.containers for bar in bars]
    assert sorted(drawn) == pytest.approx(sorted(n[n > 0] / len(TOKENS)))
    stacked = sum(bar.get_height() for bars in kinds.containers for bar in bars)
    assert stacked == pytest.approx(len(loaded["id_blocks"]))
    assert list(by_id.lines[0].get_xdata()) == [2, 7, 12, 16]


def test_the_kinds_that_there_are_are_named_apart_with_their_shares(tmp_path: Any):
    figure, _ = draw_vocabulary(results(tmp_path, WORD_PIECE), "a model", **SETTINGS)
    words = figure.axes[0].texts
    assert any(text.get_text().startswith("non-ASCII characters ") for text in words)
    assert not any(text.get_text().startswith("no whole character") for text in words)
    for side in (-1, 1):
        places = sorted(text.xyann[0] for text in words if text.xyann[1] * side > 0)
        assert np.diff(places).min() > 0.1
        assert 0 < places[0] < places[-1] < 1


def test_the_title_says_how_pieces_grow_along_the_ids_of_words(tmp_path: Any):
    loaded = results(tmp_path, WORD_PIECE)
    kinds = [name for name in loaded["id_blocks"] if name.startswith("n_")]
    rows = [{"n_word": 3, "n_subword": 2}, {"n_word": 4, "n_subword": 1}, {"n_unused": 5}]
    blocks = loaded["id_blocks"][:3].assign(n=5, **dict.fromkeys(kinds, 0))
    for number, row in enumerate(rows):
        for kind, n in row.items():
            blocks.loc[blocks.index[number], kind] = n
    blocks["mean_n_characters_of_words"] = [5.5, 5.0, 5.0]
    given = as_drawn(VOCABULARY, {**loaded.tables, "id_blocks": blocks})
    figure, _ = draw_vocabulary(given, "a model", **SETTINGS)
    title = " ".join(figure.get_suptitle().split())
    said = "word pieces fall from 40 % to 20 % of tokens, words get shorter (c)"
    assert title == f"Along the ids that are mostly words, {said}"
    blocks["mean_n_characters_of_words"] = [5.001, 5.0, 5.0]
    given = as_drawn(VOCABULARY, {**loaded.tables, "id_blocks": blocks})
    title = draw_vocabulary(given, "a model", **SETTINGS)[0].get_suptitle().rstrip()
    assert title.endswith("of tokens")  # too small a step for a word


@pytest.mark.parametrize(
    ("n_characters", "said"),
    [
        ([5.0, 6.0, 6.0, 6.0], ", words get longer at first (c)"),
        ([5.0, 3.0, 4.0, 5.0, 6.0], ", words get longer (c)"),
        ([6.0, 5.0, 5.0], ", words get shorter at first (c)"),
        ([5.0, 4.0, np.nan], ""),
    ],
)
def test_words_get_longer_at_first_only_on_the_way_to_the_last(
    n_characters: list[float], said: str
):
    assert _words_get(pd.Series(n_characters)) == said


def test_tables_have_every_share_and_tokens_that_break_tables(tmp_path: Any):
    _, text = draw_vocabulary(results(tmp_path, WORD_PIECE), "a model", **SETTINGS)
    assert "WordPiece · 18 tokens · word pieces begin with ##" in text
    (alphanumeric,) = (
        cells
        for line in text.splitlines()
        if (cells := [cell.strip() for cell in line.strip("|").split("|")])[:2]
        == ["alphanumeric", "as listed, with the mark"]
    )
    assert alphanumeric[2:] == ["18", "6", "33.3"]
    assert "| 0–0   | special" in text
    assert "None" not in text
    (row,) = (line for line in text.splitlines() if line.startswith("| 2–5"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["2–5", "ASCII characters", "`!`", '`"`', "4", "0", "0", "1.00"]


def test_a_model_without_a_tokenizer_says_so(tmp_path: Any):
    figure, text = draw_vocabulary(results(tmp_path, None), "a model", **SETTINGS)
    assert_words_fit(figure)
    assert [t.get_text() for t in figure.axes[0].texts] == [
        "The model has no tokenizer: no spelling is known."
    ]
    assert text.count("None.") == 4
    assert "not defined" in text


def test_the_tokens_of_example_texts_stand_with_their_ids(tmp_path: Any):
    _, text = draw_vocabulary(results(tmp_path, WORD_PIECE), "a model", **SETTINGS)
    rows = [line for line in text.splitlines() if line.startswith("| mine")]
    cells = [[cell.strip() for cell in row.strip("|").rsplit("|", 1)] for row in rows]
    assert [int(number) for _, number in cells] == [6, 16, 3]
    assert "`dogs`" in rows[1]
