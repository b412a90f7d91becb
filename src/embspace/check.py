"""Reads params.yaml and conf/ as the stages will, and says all that does not fit, at once."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from embspace.config import CONF, PARAMS, Params, read_params, read_yaml, settings_schema, validate
from embspace.corpus import (
    BuiltinCorpus,
    Corpus,
    Enwik8Corpus,
    FileCorpus,
    corpus_file,
    describe_corpus,
)
from embspace.errors import InputError
from embspace.files.remote import is_address
from embspace.models.description import VectorsModel, describe_model
from embspace.models.locate import locate_files
from embspace.models.tokenizer import tokenizer_files
from embspace.models.vectors import load_vectors
from embspace.prepare.stimuli import prepare_stimuli
from embspace.prepare.texts import prepare_texts
from embspace.prune import TOY

# Folders of conf/ that are no verbs.
DESCRIBERS: dict[str, Callable[[str, dict[str, Any]], Any]] = {
    "model": describe_model,
    "corpus": describe_corpus,
}


def check_settings() -> list[str]:
    """What is wrong, one message each; empty when everything fits."""
    try:
        params = read_params()
    except InputError as error:
        return [str(error)]
    if not CONF.is_dir():
        return [f"{CONF}/: not found in {Path.cwd()}; run from the root of an embspace tree"]
    named = [*_wrong_names(params), *_wrong_descriptions(), *_wrong_settings(params)]
    return named or [*_missing_files(params), *_wrong_stimuli(), *_missing_device(params)]


def _wrong_names(params: Params) -> Iterator[str]:
    """Models and corpora that have no file, stand there twice, or take another's name."""
    if TOY in params.models:
        yield f"{PARAMS}: key 'models': '{TOY}' is the name of results that have no model"
    for key, folder in (("models", "model"), ("corpora", "corpus")):
        names = getattr(params, key)
        allowed = sorted(path.stem for path in (CONF / folder).glob("*.yaml"))
        for name in names:
            if name not in allowed:
                close = get_close_matches(name, allowed, n=1)
                hint = f"; did you mean '{close[0]}'?" if close else ""
                yield (
                    f"{PARAMS}: key '{key}': found '{name}', allowed: {', '.join(allowed)}{hint}"
                )
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{PARAMS}: key '{key}': '{name}' stands there {names.count(name)} times"


def _wrong_descriptions() -> Iterator[str]:
    for folder, describe in DESCRIBERS.items():
        for path in sorted((CONF / folder).glob("*.yaml")):
            try:
                describe(path.stem, read_yaml(path))
            except InputError as error:
                yield str(error)


def _missing_files(params: Params) -> Iterator[str]:
    """Files of models that are not there or not the pinned ones, texts that cannot be read."""
    for name in params.models:
        try:
            model = describe_model(name, read_yaml(CONF / "model" / f"{name}.yaml"))
            if isinstance(model, VectorsModel):
                load_vectors(name, model)
            elif (files := tokenizer_files(model)) is not None:
                locate_files(name, files)
        except InputError as error:
            yield str(error)
    for name in params.corpora:
        try:
            corpus = describe_corpus(name, read_yaml(CONF / "corpus" / f"{name}.yaml"))
            if isinstance(corpus, BuiltinCorpus | FileCorpus):
                prepare_texts(corpus)
        except InputError as error:
            yield str(error)
        else:
            yield from _missing_sources(name, corpus)


def _missing_sources(name: str, corpus: Corpus) -> Iterator[str]:
    """Local files of a corpus that comes from the network."""
    named = {"pages": getattr(corpus, "pages", None)}
    if isinstance(corpus, Enwik8Corpus) and not is_address(corpus.url):
        named["url"] = corpus.url
    for key, path in named.items():
        if path is not None and not Path(path).is_file():
            yield f"{corpus_file(name)}: key '{key}': {path}: not found"


def _wrong_stimuli() -> Iterator[str]:
    """Stimuli that are not there or do not fit, if all are local."""
    paths = read_yaml(CONF / "prepare/stimuli.yaml")
    if any(is_address(str(path)) for path in paths.values()):
        return
    try:
        prepare_stimuli(**paths)
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


def _wrong_settings(params: Params) -> Iterator[str]:
    """Settings files whose keys or types are not those of the function that takes them."""
    for folder in sorted(path for path in CONF.iterdir() if path.is_dir()):
        if folder.name in DESCRIBERS:
            continue
        for path in sorted(folder.glob("*.yaml")):
            try:
                _check_settings_file(path, params)
            except InputError as error:
                yield str(error)


def _check_settings_file(path: Path, params: Params) -> None:
    verb, noun = path.parent.name, path.stem
    expected = {f"embspace.{verb}", f"embspace.{verb}.{noun}"}
    try:
        module = import_module(f"embspace.{verb}.{noun}")
        function = getattr(module, f"{verb}_{noun}")
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name not in expected:
            raise  # a library is missing, which is another matter
        raise InputError(f"{path}: no function {verb}_{noun} takes these settings") from None
    validate(settings_schema(function), _resolved(path, params), str(path))


def _resolved(path: Path, params: Params) -> Any:
    """The settings with `${seed}` and its like filled in, as Hydra does it."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    whole = OmegaConf.create({**params.model_dump(), "settings": read_yaml(path)})
    try:
        return OmegaConf.to_container(whole.settings, resolve=True)
    except OmegaConfBaseException as error:
        raise InputError(f"{path}: {error.msg if hasattr(error, 'msg') else error}") from None
