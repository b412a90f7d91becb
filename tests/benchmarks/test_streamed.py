from pathlib import Path

import pandas as pd
import pytest

from benchmarks import streamed
from benchmarks.streamed import by_workers, least_seconds, page, read_texts, run_streamed
from embspace.errors import InputError
from embspace.stream.plan import plan_shards
from embspace.stream.reading import Loaded
from embspace.stream.sources import find_sources
from tests.stream.conftest import tiny_loaded, tiny_tree
from tests.stream.trees import reading_of

__all__ = ["tiny_loaded", "tiny_tree"]  # fixtures


def test_the_same_tokens_are_read_with_sums_and_without(tiny_loaded: Loaded) -> None:
    texts = ["the cat sat on the mat", "a dog"]
    counts = {read_texts(texts, tiny_loaded, summed=summed) for summed in (True, False)}
    assert len(counts) == 1 and counts.pop() >= 8 + 4


def test_rounds_go_through_all_calls_in_turn() -> None:
    called: list[str] = []
    seconds = least_seconds({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, 2)
    assert called == ["a", "b", "a", "b"]
    assert seconds.keys() == {"a", "b"} and min(seconds.values()) >= 0


@pytest.mark.slow
def test_throughput_is_that_of_all_tokens_by_the_number_of_workers(
    tiny_tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_tree)
    monkeypatch.setattr(streamed, "ROUNDS", 1)
    how = reading_of(tiny_tree)
    shards = plan_shards(find_sources("texts", "text", "id"), how, 15)
    assert len(shards) == 4
    table = by_workers(shards, how).set_index("workers")
    assert list(table.index) == ["1", "2"] and (table["tokens a second"] > 0).all()
    ratio = table.loc["2", "tokens a second"] / table.loc["1", "tokens a second"]
    assert table["to one worker"].tolist() == [1, pytest.approx(ratio)]
    assert not (tiny_tree / "data/streamed").exists()  # sums lie in a folder that is removed


def test_the_page_tells_ratios_and_the_load() -> None:
    spent = pd.DataFrame([{"what": "all layers", "processor time, s": 2.0, "to all layers": 1.0}])
    grown = pd.DataFrame([{"workers": "2", "tokens a second": 900.0, "to one worker": 1.8}])
    text = page(spent, grown, 1234, 0.5)
    assert "1,234 tokens" in text and "load was 0.5" in text and "1.8" in text


def test_without_texts_the_error_names_the_stage(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(streamed, "TEXTS", tmp_path / "none.parquet")
    with pytest.raises(InputError, match="prepare_texts"):
        run_streamed()
