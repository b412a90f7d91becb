"""Reads params.yaml and conf/ as the stages do, and reports all faults at once."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from embspace.app.checks.long_stimuli import check_lengths, listed_positions, local_stimuli
from embspace.errors import InputError, not_among, within
from embspace.files.copies import check_links
from embspace.files.remote import local_path
from embspace.models.checks.files import check_files
from embspace.models.locate import locate_files
from embspace.models.matrices import check_offset
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.vectors import load_vectors
from embspace.models.windows import check_window
from embspace.prepare.checkpoints import checkpoints_to_read
from embspace.prepare.sources.hub import check_library
from embspace.prepare.sources.wikipedia import read_pages
from embspace.prepare.texts import local_files, prepare_texts, warn_unwatched
from embspace.settings.corpus import (
    BuiltinCorpus,
    Corpus,
    FastaCorpus,
    FileCorpus,
    HubCorpus,
    LineagesCorpus,
    WikipediaCorpus,
    corpus_file,
    describe_corpus,
)
from embspace.settings.find_description import LIST, MODEL
from embspace.settings.model import (
    Files,
    FolderModel,
    Model,
    VectorsModel,
    WheelModel,
    describe_model,
)
from embspace.settings.params import CONF, PARAMS, Params, models_of, read_params
from embspace.settings.run import describe_run
from embspace.settings.schema import read_yaml, validate
from embspace.settings.stage import settings_schema

TEXTS = Path("data/texts")
HIDDEN_STATES = CONF / "extract/hidden_states.yaml"
MANY_SPECIAL_TOKENS = 8  # in a window; of known tokenizers none has more than 3
OF_CHECKPOINTS = (  # settings that name a corpus of params.yaml
    CONF / "measure/runs/pretraining_dynamics.yaml",
    CONF / "measure/runs/pretraining_head_dynamics.yaml",
)
LAUNCHERS = "hydra"  # the folder of conf/ that Hydra itself reads
# Folders of conf/ that are no verbs.
DESCRIBERS: dict[str, Callable[[str, dict[str, Any]], Any]] = {
    "model": describe_model,
    "corpus": describe_corpus,
    "train": describe_run,
}


def check_settings() -> list[str]:
    """Return a message for every fault; empty when everything fits."""
    try:
        params = read_params()
    except InputError as error:
        others = (*_wrong_descriptions(), *_wrong_settings()) if CONF.is_dir() else ()
        return [str(error), *others]
    if not CONF.is_dir():
        return [f"{CONF}/: not found in {Path.cwd()}; run in a study, which `embspace init` makes"]
    named = [*_missing_keys(), *_wrong_names(params), *_wrong_descriptions(), *_wrong_settings()]
    if named:
        return named
    messages = (*_missing_files(params), *_wrong_stimuli(params), *_missing_device(params))
    return [*dict.fromkeys(messages)]  # what is missing is missing for several


def _missing_keys() -> Iterator[str]:
    """Yield keys that dvc.yaml names and params.yaml lacks; DVC's own message would say less."""
    for key in sorted(Params.model_fields.keys() - read_yaml(PARAMS).keys()):
        none = "{}" if key in ("compared", "roles") else "[]"
        yield f"{PARAMS}: key '{key}': not found; `{key}: {none}` is for none"


def _wrong_names(params: Params) -> Iterator[str]:
    """Yield models, corpora and runs without a file, named twice, or with another's name."""
    folders = {
        "models": "model",
        "corpora": "corpus",
        "profiled": "model",
        "checkpointed": "model",
        "trained": "train",
    }
    for key, folder in folders.items():
        names = getattr(params, key)
        allowed = sorted(path.stem for path in (CONF / folder).glob("*.yaml"))
        for name in names:
            if name not in allowed:
                listed_by = LIST if folder == MODEL else ""
                yield f"{PARAMS}: key '{key}': {not_among(name, allowed, listed_by)}"
        if key in ("profiled", "checkpointed"):
            for name in sorted({*names} - {*params.models}):
                yield f"{PARAMS}: key '{key}': '{name}' is not among 'models'"
        if key == "trained":
            for name in sorted({*names} & {*params.models}):
                yield f"{PARAMS}: key 'trained': '{name}' is also the name of a model in 'models'"
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{PARAMS}: key '{key}': '{name}' stands there {names.count(name)} times"
    yield from _wrong_twins(params)
    for pair in params.compared:
        for name in sorted({*models_of(pair)} - {*params.models}):
            yield f"{PARAMS}: key 'compared.{pair}': '{name}' is not among 'models'"
    corpora = sorted(path.stem for path in (CONF / "corpus").glob("*.yaml"))
    for role, name in params.roles.items():
        if name not in corpora:
            yield f"{PARAMS}: key 'roles.{role}': {not_among(name, corpora)}"


def _wrong_twins(params: Params) -> Iterator[str]:
    """Yield models whose twin with random weights is not described."""
    allowed = sorted(path.stem for path in (CONF / "model").glob("*.yaml"))
    for name in sorted({*params.models} & {*allowed}):
        file = CONF / "model" / f"{name}.yaml"
        try:
            twin = read_yaml(file).get("untrained")
        except InputError:  # told with the descriptions
            continue
        if twin and twin not in allowed:
            yield f"{file}: key 'untrained': {not_among(twin, allowed, LIST)}"


def _wrong_descriptions() -> Iterator[str]:
    for folder, describe in DESCRIBERS.items():
        for path in sorted((CONF / folder).glob("*.yaml")):
            try:
                describe(path.stem, read_yaml(path))
            except InputError as error:
                yield str(error)


def _files_of(model: Model) -> Iterator[Files]:
    """Yield the place of the tokenizer and, if different, the place of the model's own files."""
    tokenizer = tokenizer_files(model)
    if isinstance(model, WheelModel | FolderModel) and tokenizer is not model:
        yield model
    if tokenizer is not None:
        yield tokenizer


def _missing_files(params: Params) -> Iterator[str]:
    """Yield missing files of models, files not as pinned, and unreadable texts."""
    for name in params.models:
        try:
            model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
            if isinstance(model, VectorsModel):
                load_vectors(name, model)
            for files in _files_of(model):
                folder = locate_files(name, files)
                if files is model:
                    check_files(name, model, folder)
                    _check_positions(name, model, folder)
            _check_window(name, model)
        except InputError as error:
            yield str(error)
    for file in OF_CHECKPOINTS if params.checkpointed else ():
        corpus = read_yaml(file)["corpus"]
        if corpus not in params.corpora:
            yield f"{file}: key 'corpus': {not_among(corpus, params.corpora)}"
    for name in params.checkpointed:
        try:
            model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
            for checkpoint in checkpoints_to_read(name, model):
                locate_files(checkpoint.name, checkpoint.files)
        except InputError as error:
            yield f"{PARAMS}: key 'checkpointed': {error}"
    try:
        check_links(TEXTS)
    except InputError as error:
        yield str(error)
    for name in params.corpora:
        try:
            corpus = describe_corpus(name, read_yaml(CONF / "corpus" / f"{name}.yaml"))
            _check_source(name, corpus)
        except InputError as error:
            yield str(error)


def _check_positions(name: str, model: Model, folder: Path) -> None:
    """Stop if `position_offset` leaves no position; for pickles, the stage that loads them does."""
    n_rows = listed_positions(model, folder)
    if n_rows is not None and not isinstance(model, VectorsModel):
        check_offset(name, model, n_rows)


def _check_window(name: str, model: Model) -> None:
    """Stop if the settings of `extract_hidden_states` leave no room in a window."""
    settings = read_yaml(HIDDEN_STATES)
    length, overlap = settings["window_length"], settings["overlap"]
    # To load a tokenizer takes seconds, and none puts so many tokens around a text.
    if length - overlap < MANY_SPECIAL_TOKENS and tokenizer_files(model) is not None:
        check_window(load_tokenizer(name, model), length, overlap)


def _check_source(name: str, corpus: Corpus) -> None:
    """Stop if the texts cannot be obtained, as far as this shows without a network."""
    warn_unwatched(name, corpus)
    if isinstance(corpus, BuiltinCorpus | FileCorpus | FastaCorpus | LineagesCorpus):
        prepare_texts(name, corpus)
        return
    with within(corpus_file(name)):
        if isinstance(corpus, HubCorpus):
            check_library(corpus)
        elif isinstance(corpus, WikipediaCorpus):
            read_pages(corpus)
        for key, path in local_files(corpus).items():
            if not local_path(path).is_file():
                raise InputError(f"key '{key}': {path}: not found")


def _wrong_stimuli(params: Params) -> Iterator[str]:
    """Yield stimuli that are missing, do not fit, or are too long for a model, if all are local."""
    try:
        stimuli = local_stimuli()
    except InputError as error:
        yield str(error)
        return
    for name in params.models if stimuli else ():
        model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
        try:
            check_lengths(name, model, stimuli or {})
        except InputError as error:
            yield str(error)


def _missing_device(params: Params) -> Iterator[str]:
    if params.device in ("auto", "cpu"):
        return  # always there, and known without loading torch
    from embspace.device import choose_device

    try:
        choose_device(params.device)
    except InputError as error:
        yield str(error)


def _wrong_settings() -> Iterator[str]:
    """Yield settings files whose keys or types do not match the parameters of their function."""
    for folder in sorted(path for path in CONF.iterdir() if path.is_dir()):
        if folder.name in (*DESCRIBERS, LAUNCHERS):
            continue
        for path in sorted(folder.rglob("*.yaml")):
            try:
                _check_settings_file(path)
            except InputError as error:
                yield str(error)


def _check_settings_file(path: Path) -> None:
    name = ".".join(["embspace", *path.relative_to(CONF).with_suffix("").parts])
    verb, noun = path.relative_to(CONF).parts[0], path.stem
    try:
        function = getattr(import_module(name), f"{verb}_{noun}")
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and not name.startswith(str(error.name)):
            raise  # a library is missing, which is another matter
        raise InputError(f"{path}: no function {verb}_{noun} takes these settings") from None
    validate(settings_schema(function), read_yaml(path), str(path))
