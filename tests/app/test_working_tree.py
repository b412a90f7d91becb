import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml

from embspace.app.working_tree import TREES, OwnTexts, WorkingTree
from embspace.errors import InputError
from embspace.settings.schema import read_yaml

# A pipeline of the same form as embspace's, whose stages take no time.
from tests.app.repro.conftest import kinds

STAGES = {
    "extract_embeddings": {
        "matrix": {"model": "${models}"},
        "cmd": "mkdir -p data/extracted && cat src/code.py > data/extracted/${item.model}.bin",
        "deps": ["src/code.py"],
        "params": [{"conf/model/${item.model}.yaml": None}],
        "outs": ["data/extracted/${item.model}.bin"],
    },
    "measure_length": {
        "matrix": {"model": "${models}"},
        "cmd": "mkdir -p results && wc -c < data/extracted/${item.model}.bin "
        "> results/${item.model}.csv && cat data/texts/*.txt >> results/${item.model}.csv && "
        "mkdir -p figures/${item.model} && cp results/${item.model}.csv figures/${item.model}",
        "deps": ["data/extracted/${item.model}.bin", "data/texts"],
        "params": ["corpora"],
        "outs": [
            {"results/${item.model}.csv": {"cache": False}},
            {"figures/${item.model}": {"cache": False}},
        ],
    },
}
EXTRACT, MEASURE = "extract_embeddings@a", "measure_length@a"


def put(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A user's tree with the model `a`."""
    folder = tmp_path / "root"
    put(folder / "conf/model/a.yaml", {"path": "models/a"})
    put(folder / "conf/model/b.yaml", {"path": "../elsewhere"})
    put(folder / "conf/corpus/c.yaml", {"path": "data/texts/c.txt"})
    words = {"source": "file", "path": "data/stimuli/words.jsonl"}
    put(folder / "conf/prepare/stimuli.yaml", {"words": words})
    put(folder / "data/texts/c.txt", "a text\n")
    put(folder / "data/stimuli/words.jsonl", "{}\n")
    put(folder / "data/published/paper.yaml", {})
    put(folder / "src/code.py", "some = 'code'\n")
    put(folder / "models/a/config.json", "{}")
    put(
        folder / "params.yaml",
        {"models": ["b"], "corpora": ["c"], "profiled": ["b"], "trained": ["r"], "seed": 7},
    )
    put(folder / "dvc.yaml", {"stages": STAGES})
    put(folder / ".dvc/config", "[core]\n    no_scm = true\n    analytics = false\n")
    return folder


@pytest.fixture
def tree(root: Path) -> WorkingTree:
    return WorkingTree(root, root / TREES / "a")


def repro(root: Path) -> None:
    put(root / "params.yaml", {**read_yaml(root / "params.yaml"), "models": ["a"]})
    command = [sys.executable, "-m", "dvc", "repro"]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


def test_it_has_the_users_files_and_params_of_its_own(tree: WorkingTree, root: Path):
    tree.update("a", None)
    params = {"models": ["a"], "corpora": ["c"], "seed": 7}
    params |= {"profiled": [], "compared": {}, "checkpointed": [], "trained": [], "run_pages": []}
    assert read_yaml(tree.folder / "params.yaml") == params
    assert read_yaml(root / "params.yaml")["models"] == ["b"]
    assert (tree.folder / "models/a/config.json").read_text() == "{}"
    for file in ("src/code.py", "data/texts/c.txt", "dvc.yaml", "conf/model/b.yaml"):
        assert (tree.folder / file).read_bytes() == (root / file).read_bytes()


def test_two_models_are_compared_in_one_tree(tree: WorkingTree, root: Path):
    repro(root)
    put(root / "conf/model/b.yaml", {"path": "models/a"})
    described = {"label": "new", "path": "models/a"}
    tree.update("a", None, beside={"new": described})
    params = read_yaml(tree.folder / "params.yaml")
    assert params["models"] == ["a", "new"]
    assert params["compared"] == {"a--new": {"model": "a", "other_model": "new"}}
    assert read_yaml(tree.folder / "conf/model/new.yaml") == described
    assert (tree.folder / "results/a.csv").read_bytes() == (root / "results/a.csv").read_bytes()


def test_a_twin_is_computed_and_not_compared(tree: WorkingTree):
    described = {"label": "noise", "path": "models/a"}
    tree.update("a", None, twins={"a_random": described})
    params = read_yaml(tree.folder / "params.yaml")
    assert params["models"] == ["a", "a_random"] and params["compared"] == {}
    assert read_yaml(tree.folder / "conf/model/a_random.yaml") == described


def test_a_second_update_touches_only_what_differs(tree: WorkingTree, root: Path):
    tree.update("a", None)
    (root / "src/code.py").write_text("other = 'code'\n")
    (root / "data/published/paper.yaml").unlink()
    before = (tree.folder / "data/texts/c.txt").stat()
    tree.update("a", None)
    assert (tree.folder / "src/code.py").read_text() == "other = 'code'\n"
    assert not (tree.folder / "data/published/paper.yaml").exists()
    after = (tree.folder / "data/texts/c.txt").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_compiled_loops_come_along_and_stay(tree: WorkingTree, root: Path):
    put(root / "src/__pycache__/code.f-1.py311.nbi", "index")
    put(root / "src/__pycache__/code.cpython-311.pyc", "code")
    tree.update("a", None)
    put(tree.folder / "src/__pycache__/code.g-9.py311.nbi", "of this tree")
    tree.update("a", None)
    compiled = {path.name for path in (tree.folder / "src/__pycache__").iterdir()}
    assert compiled == {"code.f-1.py311.nbi", "code.g-9.py311.nbi"}
    # numba holds its index against the time of the source.
    times = [(folder / "src/code.py").stat().st_mtime_ns for folder in (root, tree.folder)]
    assert times[0] == times[1]


def test_own_texts_are_a_corpus_of_this_tree_alone(tree: WorkingTree, root: Path):
    tree.update("a", None, OwnTexts("mine", "my texts", ".txt", b"one\ntwo\n"))
    assert read_yaml(tree.folder / "params.yaml")["corpora"] == ["mine"]
    description = read_yaml(tree.folder / "conf/corpus/mine.yaml")
    assert description["label"] == "my texts"
    assert (tree.folder / description["path"]).read_bytes() == b"one\ntwo\n"
    assert not (root / "conf/corpus/mine.yaml").exists()
    tree.update("a", ["c"])
    assert not (tree.folder / "conf/corpus/mine.yaml").exists()


def test_settings_that_are_about_one_corpus_are_about_one_that_is_read(
    tree: WorkingTree, root: Path
):
    atlas, probing = "conf/measure/layers/atlas.yaml", "conf/draw/words/probing.yaml"
    put(root / atlas, "corpus: c   # whose tokens\nspace: token\n")
    put(root / probing, {"corpora": ["c"], "deep": {"corpus": "c"}})
    tree.update("a", None)
    assert (tree.folder / atlas).read_bytes() == (root / atlas).read_bytes()
    tree.update("a", None, OwnTexts("007", "my texts", ".txt", b"one\n"))
    assert read_yaml(tree.folder / atlas) == {"corpus": "007", "space": "token"}
    assert "# whose tokens" in (tree.folder / atlas).read_text()
    assert (tree.folder / probing).read_bytes() == (root / probing).read_bytes()
    assert read_yaml(root / atlas)["corpus"] == "c"
    tree.update("a", None)
    assert read_yaml(tree.folder / atlas)["corpus"] == "c"


def test_all_files_of_vectors_are_found_from_here(tree: WorkingTree, root: Path):
    named = {key: f"vectors/{key}.csv" for key in ("path", "labels", "positional", "segment")}
    put(root / "conf/model/v.yaml", named)
    for file in named.values():
        put(root / file, file)
    tree.update("v", None)
    for file in named.values():
        assert (tree.folder / file).read_text() == file


def test_a_path_out_of_the_tree_is_told(tree: WorkingTree):
    with pytest.raises(InputError, match=r"^\.\./elsewhere: leads out of .* absolute path$"):
        tree.update("b", None)


def test_the_stages_come_in_order_and_once(tree: WorkingTree, root: Path):
    tree.update("a", None)
    assert tree.stages(MEASURE) == {EXTRACT, MEASURE}
    assert kinds(tree.reproduce(MEASURE)) == {EXTRACT: "ends", MEASURE: "ends"}
    assert (tree.folder / "results/a.csv").read_text() == "14\na text\n"
    assert kinds(tree.reproduce(MEASURE)) == {EXTRACT: "current", MEASURE: "current"}
    assert not (root / "results").exists()
    assert not (tree.folder / ".dvc/cache").exists()  # it lies in the user's tree
    assert any((root / ".dvc/cache/files").rglob("*"))


def test_what_the_user_computed_is_taken_over(tree: WorkingTree, root: Path):
    repro(root)
    tree.update("a", None)
    assert kinds(tree.reproduce(MEASURE)) == {EXTRACT: "current", MEASURE: "current"}
    assert (tree.folder / "results/a.csv").read_bytes() == (root / "results/a.csv").read_bytes()


def test_what_the_user_computed_later_is_taken_over_too(tree: WorkingTree, root: Path):
    tree.update("a", None)
    list(tree.reproduce(MEASURE))
    (root / "src/code.py").write_text("longer = 'code'\n")
    repro(root)
    tree.update("a", None)
    assert kinds(tree.reproduce(MEASURE)) == {EXTRACT: "current", MEASURE: "current"}
    assert (tree.folder / "results/a.csv").read_text() == "16\na text\n"


def test_a_result_that_no_longer_holds_is_computed_again(tree: WorkingTree, root: Path):
    repro(root)
    (root / "src/code.py").write_text("longer = 'code'\n")
    (root / "results/a.csv").write_text("another hand\n")
    tree.update("a", None)
    assert kinds(tree.reproduce(MEASURE)) == {EXTRACT: "ends", MEASURE: "ends"}
    assert (tree.folder / "results/a.csv").read_text() == "16\na text\n"
    assert (root / "results/a.csv").read_text() == "another hand\n"


def test_a_tree_of_other_texts_starts_with_what_is_the_same(tree: WorkingTree, root: Path):
    tree.update("a", None)
    list(tree.reproduce(MEASURE))
    other = WorkingTree(root, root / TREES / "a--mine")
    other.update("a", None, OwnTexts("mine", "mine", ".txt", b"one\n"))
    assert kinds(other.reproduce(MEASURE)) == {EXTRACT: "current", MEASURE: "ends"}
    assert (tree.folder / "results/a.csv").read_text() == "14\na text\n"


def test_what_is_over_an_empty_list_is_not_taken_over(tree: WorkingTree, root: Path):
    """The layers of the model on the user's texts are no part of a tree without `profiled`."""
    profile = {
        "matrix": {"model": "${profiled}"},
        "cmd": "mkdir -p results/atlas && echo 1 > results/atlas/${item.model}.csv",
        "outs": [{"results/atlas/${item.model}.csv": {"cache": False}}],
    }
    put(root / "dvc.yaml", {"stages": {**STAGES, "measure_atlas": profile}})
    put(root / "params.yaml", {**read_yaml(root / "params.yaml"), "profiled": ["a"]})
    repro(root)
    assert (root / "results/atlas/a.csv").is_file()
    tree.update("a", None)
    assert (tree.folder / "results/a.csv").is_file()
    assert not (tree.folder / "results/atlas").exists()


def test_what_compares_the_model_is_not_taken_over(tree: WorkingTree, root: Path):
    do = {
        "cmd": "mkdir -p results/measures && echo 1 > results/measures/${key}.csv",
        "outs": [{"results/measures/${key}.csv": {"cache": False}}],
    }
    stages = {**STAGES, "compare_measures": {"foreach": "${compared}", "do": do}}
    put(root / "dvc.yaml", {"stages": stages})
    pairs = {"a--b": {"model": "a", "other_model": "b"}}
    put(root / "params.yaml", {**read_yaml(root / "params.yaml"), "compared": pairs})
    repro(root)
    assert (root / "results/measures/a--b.csv").is_file()
    tree.update("a", None)
    assert (tree.folder / "results/a.csv").is_file()
    assert not (tree.folder / "results/measures").exists()


def test_with_layers_the_model_is_profiled_where_no_run_was_trained(tree: WorkingTree, root: Path):
    profile = {
        "matrix": {"model": "${profiled}"},
        "cmd": "mkdir -p results/atlas && ls results/dynamics > results/atlas/${item.model}.csv",
        "deps": ["results/dynamics"],
        "outs": ["results/atlas/${item.model}.csv"],
    }
    put(root / "dvc.yaml", {"stages": {**STAGES, "measure_atlas": profile}})
    tree.update("a", None, layers=True)
    assert read_yaml(tree.folder / "params.yaml")["profiled"] == ["a"]
    assert kinds(tree.reproduce("measure_atlas@a")) == {"measure_atlas@a": "ends"}
    assert (tree.folder / "results/atlas/a.csv").read_text() == ""
    tree.update("a", None)
    assert read_yaml(tree.folder / "params.yaml")["profiled"] == []


def test_the_outputs_are_those_of_the_stages_and_what_they_need(tree: WorkingTree):
    tree.update("a", None)
    extracted = Path("data/extracted/a.bin")
    assert tree.outputs(EXTRACT) == [extracted]
    assert tree.outputs(MEASURE) == [extracted, Path("figures/a"), Path("results/a.csv")]


def test_the_digest_of_texts_is_of_content_and_ending():
    texts = OwnTexts("mine", "mine", ".txt", b"one")
    others = [OwnTexts("mine", "mine", ".txt", b"two"), OwnTexts("mine", "mine", ".csv", b"one")]
    assert len({own.digest for own in (texts, *others)}) == 3
    assert texts.digest == OwnTexts("other", "other", ".txt", b"one").digest


def test_who_stops_reading_ends_the_stages(tree: WorkingTree, root: Path):
    stage = {"cmd": "echo $$ > pid; exec sleep 600"}
    put(root / "dvc.yaml", {"stages": {"measure_length": stage}})
    tree.update("a", None)
    steps = tree.reproduce("measure_length")
    next(steps)
    deadline = time.monotonic() + 30
    while not (tree.folder / "pid").is_file() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    pid = int((tree.folder / "pid").read_text())
    steps.close()
    time.sleep(0.5)
    state = Path(f"/proc/{pid}/stat")
    if state.is_file():  # ended, but nobody has asked how
        assert state.read_text().split()[2] == "Z"
    else:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_second_run_waits_for_the_first(tree: WorkingTree, caplog: pytest.LogCaptureFixture):
    is_held = threading.Event()

    def hold() -> None:
        with tree.locked():
            is_held.set()
            time.sleep(0.5)

    other = threading.Thread(target=hold)
    other.start()
    is_held.wait()
    with caplog.at_level(logging.WARNING):
        start = time.monotonic()
        tree.update("a", None)
        assert time.monotonic() - start > 0.3
    other.join()
    assert "another run is at work there" in caplog.text


def test_who_holds_a_tree_does_not_wait_for_itself(
    tree: WorkingTree, caplog: pytest.LogCaptureFixture
):
    with tree.locked() as lock, caplog.at_level(logging.WARNING):
        tree.update("a", None)
        with tree.locked() as same:
            assert same == lock
        with tree.locked() as same:  # the inner one did not let go
            assert same == lock
    assert caplog.text == ""


def test_a_tree_that_cannot_be_written_is_told(tree: WorkingTree, root: Path):
    (root / ".cache").write_text("in the way, as of a tree that is read alone")
    with pytest.raises(InputError, match=r"trees/a: cannot be written: Not a directory; .* clone"):
        tree.update("a", None)
