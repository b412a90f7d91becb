import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from embspace.errors import InputError, RefusedModel
from embspace.models.tokenizer import load_tokenizer, read_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import (
    Window,
    cut_windows,
    largest_window,
    token_table,
    tokenizer_bound,
    window_table,
)
from embspace.settings.model import describe_model
from tests.models.tokens.folders import with_json, write_folder
from tests.tiny import tiny_description
from tests.tiny_architectures import build_tiny
from tests.trained_tokenizers import KINDS, word_piece
from tests.zoo import ANIMALS, build_animal

LONG = "the cat sat on the mat . " * 1500  # more than ten thousand words


@pytest.fixture(scope="module")
def tokenizer(tiny_folder: Path):
    return load_tokenizer("tiny", describe_model("tiny", tiny_description(tiny_folder)))


def test_a_text_of_ten_thousand_words_loses_no_token(tokenizer):
    windows = cut_windows([LONG], tokenizer, window_length=40, overlap=5)
    assert max(len(window.ids) for window in windows) == 40
    kept = [window.ids[~window.special & ~window.repeated] for window in windows]
    expected = tokenizer(LONG, add_special_tokens=False)["input_ids"]
    assert np.concatenate(kept).tolist() == expected
    assert len(LONG.split()) > 10_000


def test_neighboring_windows_share_the_overlap(tokenizer):
    first, second, *_ = cut_windows([LONG], tokenizer, window_length=40, overlap=5)
    assert first.ids[-6:-1].tolist() == second.ids[1:6].tolist()
    assert second.repeated.sum() == 5
    assert not first.repeated.any()


def test_each_window_has_its_special_tokens_marked(tokenizer):
    for window in cut_windows([LONG], tokenizer, window_length=40, overlap=0):
        assert window.special.tolist() == [True] + [False] * (len(window.ids) - 2) + [True]


def test_a_short_text_is_one_window_and_characters_lead_back_to_it(tokenizer):
    (window,) = cut_windows(["The boats !"], tokenizer, window_length=40, overlap=5)
    words = ["The boats !"[a:b] for a, b in zip(window.start, window.end, strict=True)]
    assert words == ["", "The", "boat", "s", "!", ""]


def test_the_order_of_the_texts_is_kept_over_the_chunks(tokenizer):
    texts = [f"cat {'sat ' * (number % 7)}" for number in range(600)]
    windows = cut_windows(texts, tokenizer, window_length=40, overlap=5)
    assert [window.text for window in windows] == list(range(600))
    assert [len(window.ids) for window in windows] == [3 + number % 7 for number in range(600)]


def test_an_overlap_without_room_for_new_tokens_is_refused(tokenizer):
    with pytest.raises(InputError, match="key 'overlap': found 38, allowed: less than 38"):
        cut_windows(["cat"], tokenizer, window_length=40, overlap=38)


def test_a_window_without_room_for_a_token_is_refused(tokenizer):
    message = "key 'window_length': found 2, allowed: more than the 2 special tokens of each"
    with pytest.raises(InputError, match=message):
        cut_windows(["cat"], tokenizer, window_length=2, overlap=0)
    assert len(cut_windows(["cat sat"], tokenizer, window_length=3, overlap=0)) == 2


def test_tables_say_what_the_rows_are(tokenizer):
    windows = cut_windows(["cat", LONG], tokenizer, window_length=40, overlap=5)
    table, tokens = window_table(windows, ["short", "long"]), token_table(windows, tokenizer)
    assert table["text"].tolist()[:2] == ["short", "long"]
    assert table["window"].tolist()[:3] == [0, 0, 1]
    assert len(tokens) == table["n_tokens"].sum()
    assert tokens["token"][table["first_token"]].eq("[CLS]").all()
    assert tokens["position"].max() == 39


def test_a_text_of_which_the_tokenizer_makes_nothing_is_refused(tokenizer):
    class Bare:
        """Without special tokens, as of decoders."""

        def num_special_tokens_to_add(self) -> int:
            return 0

        def __call__(self, texts: list[str], **options: object) -> dict[str, object]:
            return tokenizer(texts, add_special_tokens=False, **options)

    assert len(cut_windows(["cat"], Bare(), window_length=40, overlap=5)) == 1
    with pytest.raises(InputError, match="makes no token of 1 texts, the first 1"):
        cut_windows(["cat", "\u200b"], Bare(), window_length=40, overlap=5)


@pytest.mark.parametrize("side", ["left", "right"])
def test_windows_begin_at_the_start_whatever_side_the_files_cut(
    tiny_folder: Path, tmp_path: Path, side: str
):
    folder = shutil.copytree(tiny_folder, tmp_path / side)
    file = folder / "tokenizer_config.json"
    options = json.loads(file.read_text()) | {"truncation_side": side, "padding_side": side}
    file.write_text(json.dumps(options))
    read = load_tokenizer("tiny", describe_model("tiny", tiny_description(folder)))
    windows = cut_windows([LONG], read, window_length=20, overlap=4)
    starts = [int(window.start[1]) for window in windows]
    assert starts == sorted(starts) and starts[0] == 0
    new = np.concatenate([window.ids[~window.special & ~window.repeated] for window in windows])
    assert new.tolist() == read(LONG, add_special_tokens=False)["input_ids"]


def test_windows_that_leave_text_out_are_an_error(tokenizer):
    class Losing:
        """As a release of the library that forgets what follows the first window."""

        def num_special_tokens_to_add(self) -> int:
            return 2

        def __call__(self, texts: list[str], **options: object) -> dict[str, object]:
            made = tokenizer(texts, **options)
            if not options["truncation"]:
                return made
            return {key: value[:1] for key, value in made.items()}

    message = r"text 0: its windows hold 38 of its 10,500 tokens, .* tokenizers \d"
    with pytest.raises(InputError, match=message):
        cut_windows([LONG], Losing(), window_length=40, overlap=5)


def test_only_texts_that_may_have_been_cut_are_read_a_second_time(tokenizer):
    class Counting:
        """Keeps what it is asked to read whole."""

        whole: ClassVar[list[list[str]]] = []

        def num_special_tokens_to_add(self) -> int:
            return 2

        def __call__(self, texts: list[str], **options: object) -> dict[str, object]:
            if not options["truncation"]:
                self.whole.append(texts)
            return tokenizer(texts, **options)

    cut_windows(["the cat", LONG, "the mat"], Counting(), window_length=40, overlap=5)
    cut_windows(["the cat", "the mat"], Counting(), window_length=5)
    assert Counting.whole == [[LONG]]


def test_a_text_at_which_the_library_fails_is_told(tmp_path: Path):
    lacking = with_json(word_piece, lambda content: content["model"].update(unk_token="[NO]"))
    folder = write_folder(tmp_path / "lacking", lacking(), "PreTrainedTokenizerFast")
    with pytest.raises(InputError, match="cannot read one of the texts 0 to 1: .*Missing"):
        cut_windows(["the cats", "[]"], read_tokenizer(folder), window_length=8)


def test_sparse_blocks_are_read_in_windows_of_full_attention(tmp_path: Path):
    folder = build_tiny("big_bird", tmp_path / "mine", block_size=2, num_random_blocks=1)
    model = describe_model("mine", tiny_description(folder))
    assert largest_window(model, load_model("mine", model)) == (5 + 2) * 2


SPELLED = ["[SEP]", "[MASK]", "[PAD]", "[CLS]", "<pad>", "<s>", "</s>", "<mask>", "<|endoftext|>"]
PARTS = st.one_of(
    st.text(max_size=20), st.sampled_from([*SPELLED, "the cat sat", " ", "日本", "कि"])
)
ANY_TEXT = st.lists(PARTS, min_size=1, max_size=8)
BY_DAY = 12
SIDES = ("right", "left")  # that the files would cut
FILES = [
    *((f"{kind}, {side}", make, side) for kind, make in KINDS.items() for side in SIDES),
    *((name, None, SIDES[number % 2]) for number, name in enumerate(ANIMALS)),
]


def written(name: str, make: Callable[[], Tokenizer] | None, side: str, folder: Path) -> Path:
    """The folder of a tokenizer: of a kind, or as that of an architecture of the zoo."""
    if make is None:
        build_animal(name, folder)
        return with_options(folder, truncation_side=side)
    return write_folder(folder, make(), "PreTrainedTokenizerFast", truncation_side=side)


def with_options(folder: Path, **options: str) -> Path:
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | options))
    return folder


def is_of_text(window: Window, unknown: int | None) -> np.ndarray:
    """Which tokens are no frame's."""
    return ~window.special | ((window.ids == unknown) & (window.end > window.start))


def trimmed(text: str, start: int, end: int) -> tuple[int, str]:
    """Where a token ends, and what it reads without white space, which some leave in front."""
    return end, text[start:end].strip()


@pytest.mark.parametrize(
    ("name", "make", "side"),
    [
        pytest.param(*kind, id=kind[0], marks=[] if number < BY_DAY else pytest.mark.slow)
        for number, kind in enumerate(FILES)
    ],
)
def test_windows_hold_each_token_of_any_text_once(
    name: str, make: Callable[[], Tokenizer] | None, side: str, tmp_path: Path
):
    folder = written(name, make, side, tmp_path / "folder")
    read = read_tokenizer(folder)
    own = Tokenizer.from_file(str(folder / "tokenizer.json"))
    own.no_truncation()
    own.encode_special_tokens = True
    frame = {*read.all_special_ids} - {read.unk_token_id}

    @settings(max_examples=60, deadline=None)
    @given(ANY_TEXT, st.integers(0, 3))
    def holds(parts: list[str], overlap: int) -> None:
        text = "".join(parts)
        try:
            windows = cut_windows([text], read, 9, overlap)
        except InputError as error:
            assert "makes no token" in str(error) and not own.encode(text, add_special_tokens=False)
            return
        new = [is_of_text(window, read.unk_token_id) & ~window.repeated for window in windows]
        pairs = list(zip(windows, new, strict=True))
        ids, starts, ends = (
            [int(number) for window, kept in pairs for number in getattr(window, name)[kept]]
            for name in ("ids", "start", "end")
        )
        offsets = list(zip(starts, ends, strict=True))
        assert not frame & {*ids}  # what a text spells is text
        assert all(0 <= start <= end <= len(text) for start, end in offsets)
        assert max(len(window.ids) for window in windows) <= 9
        expected = own.encode(text, add_special_tokens=False)
        if not frame & {*expected.ids}:  # pieces of the model that the reader parts
            assert ids == expected.ids
            slices = [trimmed(text, *offset) for offset in offsets]
            assert slices == [trimmed(text, *offset) for offset in expected.offsets]
        for before, after in pairwise(windows):
            body = before.ids[is_of_text(before, read.unk_token_id)].tolist()
            again = after.ids[after.repeated].tolist()
            assert len(again) == overlap
            assert body[len(body) - overlap :] == again

    holds()


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (0, "found 0, allowed: more than the 2 special tokens of each window"),
        (2, "found 2, allowed: more than"),
        (-1, "found -1, allowed: more than"),
        (float("nan"), "found nan, allowed: a number of tokens"),
        (True, "found True, allowed: a number of tokens"),
    ],
)
def test_a_tokenizer_that_leaves_no_room_for_a_text_is_refused(
    length: object, message: str, tokenizer
):
    given = SimpleNamespace(model_max_length=length)
    given.num_special_tokens_to_add = tokenizer.num_special_tokens_to_add
    with pytest.raises(RefusedModel, match=f"'model_max_length': {message}"):
        tokenizer_bound(given)


def test_a_tokenizer_says_how_much_is_read_or_that_it_knows_no_bound():
    given = SimpleNamespace(num_special_tokens_to_add=lambda: 2)
    for length, expected in ((3, 3), (512.0, 512), (int(1e30), None), (float("inf"), None)):
        given.model_max_length = length
        assert tokenizer_bound(given) == expected
