"""`read_vector` and `look_up`: a planted topic is found from both sides, and what is not there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from embspace.app.queries.read import ReadOptions, look_up, read_vector
from embspace.errors import InputError
from tests.measure.parameters.spaces import TOPICS, module_with, topic
from tests.models.parameters.test_masked_head import HEADS
from tests.models.parameters.tiny import tiny, with_head, write_checkpoint

WORDS = {f"w{token - 5}" for token in TOPICS}


def describe(folder: Path, name: str, module: Any, **keys: Any) -> None:
    write_checkpoint(folder / name, module)
    matrices = {"input": "embeddings.word_embeddings.weight", "positional": None, "segment": None}
    content = {"label": name, "license": "l", "language": "n", "source": "path"}
    file = folder / f"conf/model/{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    given = {"path": str(folder / name), "matrices": matrices | keys.pop("matrices", {})}
    file.write_text(yaml.safe_dump(content | given | keys))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("read")
    describe(folder, "planted", module_with(topic=topic()))
    head = HEADS["bert"].model_dump()
    describe(folder, "masked", with_head("MaskedLM", "bert"), masked_head=head)
    describe(
        folder, "gated", tiny("llama"), final_norm="norm", matrices={"input": "embed_tokens.weight"}
    )
    return folder


@pytest.fixture(autouse=True)
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)


def test_a_planted_value_reads_as_its_topic():
    reading = read_vector("planted", 2, "value", 3, None, ReadOptions(n_words=5))
    assert {word for word, _ in reading.words} <= WORDS
    assert not {word for word, _ in reading.opposite} & WORDS
    scores = [score for _, score in reading.words]
    assert scores == sorted(scores, reverse=True)
    shown = str(reading).splitlines()
    assert shown[0] == "planted, layer 2 of 3, value 3, by the token embeddings"
    assert len(shown) == 2 + 5


def test_the_planted_value_is_the_nearest_to_words_of_its_topic():
    vectors = look_up(["w0", "w1", "w2"], "planted", 4)
    assert list(vectors) == ["feed_forward_value", "feed_forward_key"]
    first = vectors["feed_forward_value"][0]
    assert (first.layer, first.number) == (2, 3)
    assert set(first.words) <= WORDS
    scores = [vector.score for vector in vectors["feed_forward_value"]]
    assert scores == sorted(scores, reverse=True)
    assert "layer 2  value 3" in str(first)


def test_rows_of_a_head_count_inside_it():
    inside = read_vector("planted", 1, "attention-value", 2, 3, ReadOptions())
    outside = read_vector("planted", 1, "attention-value", 2 * 6 + 2, None, ReadOptions())
    assert inside.words == outside.words
    assert "head 3, attention-value 2," in inside.title


def test_other_readings_are_named():
    plain = read_vector("planted", 1, "value", 0, None, ReadOptions())
    pseudo = read_vector("planted", 1, "value", 0, None, ReadOptions(inverse="pseudo_inverse"))
    assert pseudo.title.endswith("by the token embeddings, pseudo-inverse")
    assert not np.allclose([s for _, s in plain.words], [s for _, s in pseudo.words])
    scaled = read_vector("planted", 1, "value", 0, None, ReadOptions(norm_scale=True))
    assert scaled.title.endswith("with the gain of the norm")
    masked = read_vector("masked", 1, "value", 0, None, ReadOptions(masked_head=True))
    assert masked.title.endswith("through the masked head")
    assert read_vector("gated", 1, "gate", 0, None, ReadOptions()).title.startswith(
        "gated, layer 1 of 3"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("planned", 1, "value", 0, None, ReadOptions()),
            "planned.yaml: .*did you mean 'planted'",
        ),
        (("planted", 0, "value", 0, None, ReadOptions()), "--layer: found 0, allowed: 1 to 3"),
        (("planted", 4, "value", 0, None, ReadOptions()), "--layer: found 4, allowed: 1 to 3"),
        (("planted", 1, "value", 40, None, ReadOptions()), "--value: found 40, allowed: 0 to 39"),
        (("planted", 1, "query", 24, None, ReadOptions()), "--query: found 24, allowed: 0 to 23"),
        (
            ("planted", 1, "query", 6, 2, ReadOptions()),
            "--query: found 6, allowed: 0 to 5 with --head",
        ),
        (("planted", 1, "query", 0, 5, ReadOptions()), "--head: found 5, allowed: 1 to 4"),
        (
            ("planted", 1, "value", 0, 1, ReadOptions()),
            "--head: found 1, but --value belongs to no head",
        ),
        (
            ("planted", 1, "gate", 0, None, ReadOptions()),
            "--gate: planted has none; it has --key, --val",
        ),
        (
            ("gated", 1, "key", 0, None, ReadOptions()),
            "--key: gated has none; it has --value, --gate",
        ),
        (
            ("planted", 1, "value", 0, None, ReadOptions(masked_head=True)),
            "--masked-head: planted has none",
        ),
        (
            ("planted", 1, "key", 0, None, ReadOptions(norm_scale=True)),
            "--norm-scale: no norm is between these vectors of planted",
        ),
    ],
)
def test_what_is_not_there_is_named(arguments: tuple[Any, ...], message: str):
    with pytest.raises(InputError, match=message):
        read_vector(*arguments)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no word was given"),
        (["w0", "zebra"], "the word 'zebra' is not known to planted"),
        (["w1 w2"], "the word 'w1 w2' is of several tokens of planted: w1 w2"),
    ],
)
def test_a_word_that_is_no_token_is_named(words: list[str], message: str):
    with pytest.raises(InputError, match=message):
        look_up(words, "planted", 3)


def test_an_output_matrix_of_other_rows_than_tokens_is_not_read_as_words(tree: Path):
    module, output = module_with(topic=topic()), "encoder.layer.0.intermediate.dense.weight"
    describe(tree, "other", module, matrices={"output": output})
    with pytest.raises(
        InputError, match=r"'matrices\.output': found .* allowed: a matrix of 60 rows"
    ):
        read_vector("other", 2, "value", 3, None, ReadOptions())
    with pytest.raises(InputError, match=r"key 'matrices\.output'"):
        look_up(["w0"], "other", 4)
