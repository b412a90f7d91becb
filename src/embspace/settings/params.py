"""The schema of params.yaml: what a user chooses."""

import re
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
)

from embspace.errors import InputError
from embspace.settings.roles import Role, one_role_each
from embspace.settings.schema import Strict, read_yaml, validate

PARAMS = Path("params.yaml")
CONF = Path("conf")
TOY = "toy"  # what is measured without a model has this in the place of a model's name
STIMULI = "stimuli"  # stands in the place of a corpus where models are compared by them


def _corpus_name(name: str) -> str:
    # No dots: files that are derived from a corpus are named `<corpus>.halves` and the like.
    if not re.fullmatch(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*", name):
        raise ValueError("A name is of letters, digits, _ and single dashes inside")
    if name == STIMULI:
        raise ValueError(f"A corpus is not called '{STIMULI}', as what is compared by stimuli is")
    return name


def _model_name(name: str) -> str:
    if name == TOY:
        raise ValueError(f"A model is not called '{name}', as results of no model are")
    return name


def _pair_name(name: str) -> str:
    if not re.fullmatch(f"{NAME}{PAIR}{NAME}", name):
        raise ValueError("A pair is called <model>--<other_model>")
    return name


def checked_name(name: str) -> str:
    """Return the name of a model, if allowed.

    Raises:
        InputError: naming the model and the allowed characters.
    """
    if name == TOY or not re.fullmatch(NAME, name):
        raise InputError(
            f"found the model '{name}', allowed: letters, digits, _, dots and single dashes "
            f"inside, other than {TOY}"
        )
    return name


# A name is a part of paths and commands. It has no two dashes in a row, for these join a pair.
NAME = r"[A-Za-z0-9_][A-Za-z0-9_.]*(-[A-Za-z0-9_.]+)*"
Name = Annotated[str, Field(pattern=rf"^{NAME}$"), AfterValidator(_model_name)]
PAIR = "--"
PairName = Annotated[str, AfterValidator(_pair_name)]
CorpusName = Annotated[str, AfterValidator(_corpus_name)]
LARGEST_SEED = 2**32 - 1  # that scikit-learn and openTSNE take


class Pair(Strict):
    """Two models that are compared; DVC cannot take the name of their pair apart."""

    model: Name
    other_model: Name


def models_of(pair: str) -> tuple[str, str]:
    """Return the names of the two models that the name of a pair joins."""
    model, _, other_model = pair.partition(PAIR)
    return model, other_model


def _each_pair_once(pairs: dict[str, Pair]) -> dict[str, Pair]:
    """Return the pairs, if all are of two models, named after the models, and listed once."""
    seen: dict[frozenset[str], str] = {}
    for name, pair in pairs.items():
        joined = f"{pair.model}{PAIR}{pair.other_model}"
        if name != joined:
            raise ValueError(f"The pair '{name}' of these models is called '{joined}'")
        if pair.model == pair.other_model:
            raise ValueError(f"The pair '{name}' is of one model; compare two")
        first = seen.setdefault(frozenset((pair.model, pair.other_model)), name)
        if first != name:
            raise ValueError(f"'{first}' and '{name}' are one pair; leave one of them out")
    return pairs


class Params(BaseModel):
    """Schema of params.yaml: what a user chooses."""

    model_config = ConfigDict(extra="forbid", strict=True)

    models: list[Name] = Field(min_length=1, examples=["minilm"])
    corpora: list[CorpusName] = Field(min_length=1, examples=["articles"])
    roles: Annotated[dict[Role, CorpusName], AfterValidator(one_role_each)] = Field(
        {}, examples=["long_texts: articles"]
    )
    profiled: list[Name] = Field(examples=["minilm"])
    compared: Annotated[dict[str, Pair], AfterValidator(_each_pair_once)] = Field(
        {}, examples=["minilm--minilm_random: {model: minilm, other_model: minilm_random}"]
    )
    checkpointed: list[Name] = Field([], examples=["pythia_70m"])
    trained: list[Name] = Field(examples=["rna_encoder"])
    run_pages: list[Literal["all_runs"]] = Field([], examples=["all_runs"])
    seed: int = Field(ge=0, le=LARGEST_SEED, examples=[0])
    device: Literal["auto", "cpu", "cuda", "mps"]

    @field_validator("corpora")
    @classmethod
    def _give_each_stage_a_name(cls, corpora: list[str], info: Any) -> list[str]:
        """DVC calls an item of a stage <model>-<corpus>, and loses one of two equal names."""
        taken: dict[str, tuple[str, str]] = {}
        for pair in product(dict.fromkeys(info.data.get("models", [])), dict.fromkeys(corpora)):
            other = taken.setdefault("-".join(pair), pair)
            if other != pair:
                raise ValueError(
                    f"'{other[0]}' with '{other[1]}' and '{pair[0]}' with '{pair[1]}' would be one "
                    f"stage, '{'-'.join(pair)}'; give one of them another name"
                )
        return corpora

    @field_validator("run_pages")
    @classmethod
    def _draw_what_is_trained(cls, run_pages: list[str], info: Any) -> list[str]:
        if run_pages and not info.data.get("trained"):
            raise ValueError("Without a run under 'trained', it is []")
        return run_pages


def read_params(root: Path = Path()) -> Params:
    """The params.yaml of a tree, checked; without a root, of the current folder."""
    return validate(Params, read_yaml(root / PARAMS), str(PARAMS))
