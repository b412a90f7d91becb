"""Tests of `embspace.stream.shard`."""

import re
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest

from embspace.stream.reading import Loaded
from embspace.stream.shard import embed_shard, is_sampled, pilot_of
from embspace.stream.sources import count_rows, find_sources, read_rows
from embspace.stream.sums import merge_sums
from tests.stream.trees import reading_of, shard_of
from tests.tiny import WORDS

MARKUP = """== {0} ==
'''{1}''' {2} [[{3}|{4}]] {{{{cite|{{{{{5}}}}}}}}} <ref>{6}</ref>[[Image:a.jpg|thumb|[[{7}]]]]
* {8} &nbsp; {9}
[[de:{0}]]
"""


def dump_of(n_bytes: int) -> bytes:
    """Bytes of a dump of a wiki, in the form of enwik8: pages of XML, of which the last is cut."""
    rng = np.random.default_rng(0)
    pages = ['<mediawiki xml:lang="en">\n  <siteinfo><sitename>Own</sitename></siteinfo>\n']
    while sum(map(len, pages)) < n_bytes:
        text = "".join(MARKUP.format(*rng.choice(WORDS, size=10)) for _ in range(200))
        pages.append(
            f"  <page>\n    <title>{len(pages)}</title>\n    <id>{len(pages)}</id>\n"
            f'    <revision>\n      <text xml:space="preserve">{escape(text)}é</text>\n'
            "    </revision>\n  </page>\n"
        )
    return "".join(pages).encode()[:n_bytes]


def test_two_shards_are_the_sums_of_one(tiny_tree: Path, tiny_loaded: Loaded) -> None:
    path, reading = tiny_tree / "texts/a.jsonl", reading_of(tiny_tree)
    whole = shard_of(path, 0, 60)
    pilot = pilot_of(whole, reading, tiny_loaded)
    assert pilot is not None
    parts = [
        embed_shard(part, reading, tiny_loaded, pilot)
        for part in (shard_of(path, 0, 23), shard_of(path, 23, 37), whole)
    ]
    for kind in parts[0].sums[2]:
        merged = merge_sums(parts[0].sums[2][kind], parts[1].sums[2][kind]).moments
        expected = parts[2].sums[2][kind].moments
        assert merged.n == expected.n
        # The model reads texts in other batches, and so rounds in another way.
        difference = np.abs(merged.comoments - expected.comoments).max()
        assert difference < 1e-7 * expected.n * np.square(expected.mean).sum()
    assert parts[2].counts["texts"] == parts[2].counts["documents"] == 60
    assert parts[0].sample_ids + parts[1].sample_ids == parts[2].sample_ids


def test_the_sample_is_the_share_asked_and_goes_by_ids_alone() -> None:
    ids = [f"t{number}" for number in range(10_000)]
    chosen = [name for name in ids if is_sampled(name, 0.1)]
    assert 900 < len(chosen) < 1100
    assert all(is_sampled(name, 0.2) for name in chosen)
    assert is_sampled("t", 1) and not is_sampled("t", 0)


def test_a_dump_is_read_as_the_worked_example_says(
    root: Path,
    tiny_tree: Path,
    tiny_loaded: Loaded,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = (root / "docs/scale.md").read_text(encoding="utf-8")
    (code,) = (
        block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "dump" in block
    )
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("enwik8.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("enwik8", dump_of(300_000))
    exec(code, {})
    (source,) = find_sources("texts", "text", "id")
    texts = [text.text for text in read_rows(source, 0, 10**6)]
    assert count_rows(source) == len(texts) > 20
    assert {len(text) for text in texts[:-1]} == {2000}
    assert not re.search(r"[\[\]{}<>|=*]|page|title|thumb|&", "".join(texts[:-1]))
    reading, shard = reading_of(tiny_tree), shard_of(tmp_path / "texts/enwik8.jsonl", 3, 5)
    pilot = pilot_of(shard, reading, tiny_loaded)
    assert pilot is not None
    result = embed_shard(shard, reading, tiny_loaded, pilot)
    assert (result.counts["texts"], result.quarantine) == (5, [])
    assert result.counts["windows"] > 5  # longer than the model reads at once
