"""`track_tokens`: the numbers of a plain loop, how tokens are chosen, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.app.queries.track import Track, TrackOptions, track_tokens
from embspace.errors import InputError
from tests.app.cli.call import call
from tests.app.queries.test_read import describe
from tests.models.parameters.test_masked_head import HEADS
from tests.models.parameters.tiny import tiny, with_head
from tests.models.stream.plain_tracker import plain_rank, plain_states
from tests.models.stream.tiny import tiny as tiny_of_stream

TABLES = {
    "input": "embeddings.word_embeddings.weight",
    "positional": "embeddings.position_embeddings.weight",
}
TEXT = "w12 w28 w3 w28 w54"  # with [CLS] and [SEP] the tokens of `plain_states`


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("track")
    describe(folder, "plain", tiny("bert"), matrices=TABLES)
    head = HEADS["bert"].model_dump()
    describe(folder, "masked", with_head("MaskedLM", "bert"), masked_head=head, matrices=TABLES)
    describe(
        folder, "gated", tiny("llama"), final_norm="norm", matrices={"input": "embed_tokens.weight"}
    )
    (folder / "params.yaml").write_text("models: []\n")
    return folder


@pytest.fixture(autouse=True)
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)


def track(text: str = TEXT, model: str = "plain", **given: Any) -> Track:
    own = {key: given.pop(key) for key in ("layer", "token", "occurrence") if key in given}
    chosen: dict[str, Any] = {"layer": None, "token": None, "occurrence": None} | own
    return track_tokens(text, model, **chosen, options=TrackOptions(**given))


def test_numbers_are_those_of_a_plain_loop():
    module = tiny_of_stream("bert")
    expected = plain_states(module)
    rows = module.get_input_embeddings().weight.detach().numpy()
    ids = np.array([2, 17, 33, 8, 33, 59, 3])
    for point in ("attention_sum", "output"):
        for row in track(point=point).rows:
            place = (row.layer, point if row.layer else "embedding")
            own = ids[row.position]
            cosine, rank = plain_rank(expected[place][row.position], rows, own)
            assert row.rank == rank and row.value == pytest.approx(cosine, abs=1e-5)


def test_one_token_has_a_line_a_layer_and_one_layer_a_line_a_token():
    token_lines = str(track(token="w3")).splitlines()
    assert token_lines[0] == ("plain, output: own rank among 60 tokens, 0 = none is nearer")
    assert token_lines[1].split() == ["layer", "rank", "cosine", "nearest", "tokens"]
    assert [line.split()[0] for line in token_lines[2:]] == ["0", "1", "2", "3"]
    layer_lines = str(track(layer=-1)).splitlines()
    names = ["[CLS]", "w12", "w28", "w3", "w28", "w54", "[SEP]"]
    assert [line.split()[0] for line in layer_lines[1:]] == ["token", *names]
    together = str(track()).splitlines()
    assert together[1].split() == ["layer", "0", "1", "2", "3"]
    assert [line.split()[1] for line in together[2:]] == names


def test_many_layers_go_into_several_blocks():
    tracked = track()
    rows = [
        row.__class__(**{**row.__dict__, "layer": row.layer + 4 * more})
        for more in range(5)
        for row in tracked.rows
    ]
    lines = str(Track("t", tracked.options, rows)).splitlines()
    assert len(lines) == 1 + 2 * 8 and max(map(len, lines)) <= 100


def test_a_token_is_chosen_by_its_number():
    first, second = (track(token="W28", occurrence=n) for n in (1, 2))
    assert {row.position for row in first.rows} == {2}
    assert {row.position for row in second.rows} == {4}
    assert {row.token for row in track(token="[SEP]").rows} == {"[SEP]"}


def test_positions_distances_and_points_change_the_numbers():
    plain = track(token="w3").rows
    for options in ({"positions": "own"}, {"positions": "first"}, {"point": "as_coded"}):
        assert [e.value for e in track(token="w3", **options).rows] != [e.value for e in plain]
    distance = track(token="w3", nearness="euclidean_distance")
    assert "distance" in str(distance) and distance.rows[0].value > 1
    assert len(track(token="w3", point="embedding").rows) == 1
    assert "token's own position added" in str(track(token="w3", positions="own"))


def test_through_the_head_there_is_no_cosine():
    tracked = track(model="masked", nearness="head", point="output", token="w3")
    assert np.isnan(tracked.rows[-1].value) and len(tracked.rows[-1].nearest) == 5


def test_a_decoder_may_see_later_tokens():
    masked, open_ = (
        track(model="gated", token="w12", is_causal=is_causal, layer=-1).rows
        for is_causal in (True, False)
    )
    assert masked[0].value != open_[0].value


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": "  "}, "the text is empty"),
        ({"text": "zebra"}, "no token that plain knows"),
        ({"text": " ".join(["w1"] * 60)}, "60 tokens, more than a window of 40"),
        ({"model": "plane"}, "plane.yaml: not found; did you mean 'plain'"),
        ({"token": "w29"}, "found 'w29'; did you mean 'w28'"),
        ({"token": "w12 w28"}, "'w12 w28' is of several tokens, or part of one: w12 w28"),
        ({"token": ""}, "--token: found ''"),
        ({"token": "w28"}, "stands 2 times in the text, at positions 2, 4; --occurrence 1 to 2"),
        ({"token": "w28", "occurrence": 3}, "--occurrence: found 3, allowed: 1 to 2"),
        ({"occurrence": 1}, "--occurrence: found without --token"),
        ({"layer": 4}, "--layer: found 4, allowed: 0 to 3"),
        ({"nearness": "head"}, "plain has no head that predicts masked tokens"),
        ({"model": "gated", "positions": "own"}, "no table of position vectors"),
        ({"model": "gated", "point": "as_coded"}, "models that norm after attention"),
    ],
)
def test_what_cannot_be_tracked_is_said(given: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        track(**given)


def test_the_command_steers_no_terminal():
    done = call("track", "w1 \x1b[31m", "--model", "plain")
    assert "\x1b" not in done.output
