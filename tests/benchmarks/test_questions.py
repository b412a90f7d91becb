"""docs/questions.md: its commands are ones of today, and so is what it says that they print."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import typer.main

from benchmarks import questions
from benchmarks.questions import MORE, commands_of, fill, filled, further_commands, shown
from embspace.app.cli import app
from embspace.app.practice import drift, reading, versions
from embspace.measure.practice import scored_versions, text_hubs, transforms
from tests.app.cli.call import call
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["tree"]

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / questions.PAGE).read_text(encoding="utf-8")


def test_every_command_of_the_page_is_one(page: str):
    calls = [*commands_of(page), *further_commands(page)]
    assert len(calls) > 15
    for name, *arguments in calls:
        assert COMMANDS[name].make_context(name, list(arguments))


def test_every_question_has_an_output(page: str):
    names = {name for name, *_ in commands_of(page)}
    assert names == {name for name, *_ in further_commands(page)}


PAGE = """Ask:

```console
$ embspace hubs 'my file.csv'
old
```

and `embspace hubs other.csv`.
"""


def test_an_output_takes_the_place_of_the_old_one():
    once = filled(PAGE, lambda words: f"{' '.join(words)}\n\nA sentence.\n")
    assert once == PAGE.replace("old", "hubs my file.csv\n\nA sentence.")
    assert filled(once, lambda _: "old\n") == PAGE


def test_rows_are_left_out_those_of_texts_cut_and_others_wrapped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(questions.LEFT_OUT, "hubs", "(^  row.*\\n)(?:^  row.*\\n)+")
    row, said = f"   1  a text {'x' * 200}", "shares " * 20 + "and what they come to"
    lines = ["of a file", "  row 1", "  row 2", "  row 3", row, said, "  row 4"]
    output = "\n".join([*lines, "", "a long sentence " * 10])
    head, _, sentence = shown(("hubs", "a.csv"), output).partition("\n\n")
    assert head.splitlines()[:3] == ["of a file", "  row 1", MORE]
    cut, *wrapped, last = head.splitlines()[3:]
    assert len(cut) == questions.WIDTH and cut.endswith("…") and last == "  row 4"
    assert " ".join(" ".join(wrapped).split()) == said
    assert len(wrapped) > 1 and max(map(len, wrapped)) <= questions.WIDTH
    assert max(map(len, sentence.splitlines())) <= questions.WIDTH
    assert " ".join(sentence.split()) == " ".join(["a long sentence"] * 10)
    assert shown(("tokens", "m"), "one line\n") == "one line"


def test_a_page_is_filled_from_kept_outputs(tmp_path: Path):
    file = tmp_path / "page.md"
    file.write_text(PAGE)
    (tmp_path / "hubs my file.csv.txt").write_text("new\n")
    fill(tmp_path, file)
    assert file.read_text() == PAGE.replace("old", "new")


def shape(line: str) -> str:
    """Return a line without what hangs on texts and model."""
    line = re.sub(r"(by\s+)?(minilm|tiny)(, (sentence|mean|layer \d+ of \d+, \w+))?", "MODEL", line)
    line = re.sub(r"[-+]?\d[\d,]*(\.\d+)?(e-?\d+)?", "0", line)
    return " ".join(line.split(";")[0].split()[:6])


@pytest.fixture
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tiny corpora of the names on the page, read by a tiny model."""
    monkeypatch.chdir(tree)
    monkeypatch.setattr(reading, "USUAL_MODEL", "tiny")
    for module, name, value in [
        *((drift, "N_PERMUTATIONS", 19), (drift, "N_HALF_SAMPLES", 20)),
        *((versions, "N_HALF_SAMPLES", 20), (versions, "N_ALONE", 8)),
        *((text_hubs, "N_NULL", 9), (transforms, "N_HALVES", 6)),
        (scored_versions, "N_HALF_SAMPLES", 20),
    ]:
        monkeypatch.setattr(module, name, value)
    rows = {"docs": range(60), "scipy": range(30), "sklearn": range(30, 60), "new": range(60, 66)}
    for name, numbers in rows.items():
        lines = (json.dumps({"id": f"t{n}", "text": varied(n)}) for n in numbers)
        (tree / f"{name}.jsonl").write_text("\n".join(lines))
    np.save(tree / "int8.npy", np.random.default_rng(0).normal(size=(60, 32)))
    return tree


def test_outputs_begin_as_the_page_has_them(page: str, there: Path):
    for block in questions.FENCE.findall(page):
        for part in block.split(questions.CALLED)[1:]:
            command, _, output = part.partition("\n")
            arguments = ["tiny" if word == "minilm" else word for word in shlex.split(command)]
            said = call(*arguments)
            assert said.exit_code == 0, (command, said.stderr)
            assert shape(output.splitlines()[0]) == shape(said.stdout.splitlines()[0]), command
