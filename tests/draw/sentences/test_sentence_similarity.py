import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.sentence_similarity import CLOUDS, draw_sentence_similarity
from embspace.measure.sentences.sentence_similarity import SENTENCE_SIMILARITY
from tests.analyses import as_drawn

QUANTILES = {"0.01": -2, "0.05": -1.5, "0.25": -1, "0.5": 0, "0.75": 1, "0.95": 1.5, "0.99": 2}


def pairs(n_pairs: int) -> pd.DataFrame:
    rows = [
        (corpus, pooling, layer, 15, rank, "a", f"b{rank}", 1 / (rank + layer), 1.0, 1.0)
        for corpus in ("few", "many")
        for pooling in POOLINGS
        for layer in range(3)
        for rank in range(1, n_pairs + 1)
    ]
    columns = ["corpus", "pooling", "layer", "n_pairs", "rank", "first", "second", "cosine"]
    columns += ["euclidean_distance", "unit_manhattan_distance"]
    return pd.DataFrame(rows, columns=columns)


def clouds(medians: tuple[float, ...] = (0.9, 0.8, 0.1)) -> pd.DataFrame:
    rows = [
        {"corpus": "many", "other_corpus": other, "quantity": quantity, "n": 12}
        | {"pooling": pooling, "layer": layer}
        | {f"quantile_{name}": median + 0.02 * step for name, step in QUANTILES.items()}
        for other in ("many", "few")
        for quantity in ("cosine", "norm")
        for pooling in POOLINGS
        for layer, median in enumerate(medians)
    ]
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, distributions: pd.DataFrame) -> tuple[str, str]:
    results = as_drawn(SENTENCE_SIMILARITY, {"csv": table}, **{CLOUDS: distributions})
    return draw_sentence_similarity(results, "a model of a long name", n_listed=1, digits=2)


@pytest.fixture(scope="module")
def drawn() -> tuple[str, str]:
    return draw(pairs(3), clouds())


@pytest.mark.parametrize(
    ("medians", "words"),
    [
        ((0.9, 0.8, 0.1), ("spread out in layer 2", "from 0.80 at layer 1 to 0.10")),
        ((0.2, 0.9, 0.8), ("draw together in layer 1", "from 0.20 at layer 0 to 0.90")),
    ],
)
def test_the_finding_says_where_the_cosines_change_most(
    medians: tuple[float, ...], words: tuple[str, str]
):
    finding, _ = draw(pairs(3), clouds(medians))
    assert f"Texts {words[0]}: the median cosine of two texts goes {words[1]} (" in finding


def test_the_finding_claims_no_change_that_it_cannot_show():
    finding, _ = draw(pairs(3), clouds((0.981, 0.9807, 0.979)))
    assert finding.startswith("Texts are as alike at every layer: median cosine 0.98 (")
    assert says_nothing(finding)
    finding, _ = draw(pairs(3), clouds((0.9849, 0.9851, 0.9902)))
    assert finding.startswith("No layer clearly draws texts together or spreads them out: at most")
    assert "from 0.985 at layer 1 to 0.990 at layer 2" in finding
    assert says_nothing(finding)


def test_texts_that_are_alike_at_every_layer_are_said_to_be_so():
    finding, _ = draw(pairs(3), clouds((0.99, 0.91, 0.95)))
    said = "first token, mean pooling and maximum pooling: median cosines 0.91 to 0.99"
    assert finding == f"Texts are alike at every layer, by {said}"
    assert says_nothing(finding)
    one = clouds((0.99, 0.91, 0.95)).query("corpus == other_corpus")
    of_decoder = pd.concat([one, one.query("pooling == 'cls'").assign(pooling="last")])
    finding, _ = draw(pairs(3), of_decoder)
    assert "by mean pooling, maximum pooling and last token: " in finding
    two = pd.concat([one, one.assign(corpus="few", other_corpus="few")])
    assert draw(pairs(3), two)[0].endswith("0.91 to 0.99 (means of the corpora)")


@pytest.mark.parametrize("least", [0.81, 0.8])
def test_a_step_among_texts_that_are_alike_is_told(least: float):
    finding, _ = draw(pairs(3), clouds((0.99, least, 0.9)))
    assert finding.startswith("Texts spread out in layer 1: ") and not says_nothing(finding)


def test_the_mean_of_one_corpus_is_no_mean():
    one = clouds().query("corpus == other_corpus")
    two = pd.concat([one, one.assign(corpus="few", other_corpus="few")])
    for table, is_said in ((one, False), (two, True)):
        assert ("mean of the corpora" in draw(pairs(3), table)[0]) == is_said


def test_without_any_distribution_the_finding_says_so():
    assert "Too few texts" in draw(pairs(3), clouds()[:0])[0]


def test_a_result_without_any_pair_says_so():
    _, text = draw(pairs(0), clouds()[:0])
    assert "No corpus has two texts" in text


def test_the_table_has_the_last_layer_of_each_corpus(drawn):
    before, _, after = drawn[1].partition("<details>")
    assert "## Few\n" in before
    assert "## Many, first token" in after
    assert "0.33" in before
    assert "0.50" not in drawn[1]


def test_a_decoder_has_its_last_token_in_the_place_of_the_first():
    listed, cosines = pairs(3), clouds((0.9, 0.8, 0.8))
    last = [table[table["pooling"] == "cls"].assign(pooling="last") for table in (listed, cosines)]
    is_last = (cosines["pooling"] == "cls") & (cosines["layer"] == 2)
    moved = cosines.assign(**{"quantile_0.5": cosines["quantile_0.5"].mask(is_last, 0.0)})
    assert draw(listed, moved)[0].endswith("0.80 at layer 1 to 0.00 (first token)")
    finding, text = draw(pd.concat([listed, last[0]]), pd.concat([moved, last[1]]))
    assert "in layer 1: the median cosine of two texts goes from 0.90" in finding
    assert "last token" in text and "first token" not in text
