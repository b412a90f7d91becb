"""Schema of conf/train/<run>.yaml. A model that we train is data, like a model that we load."""

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from embspace.errors import InputError, not_among
from embspace.settings.model import Matrices
from embspace.settings.params import CONF, LARGEST_SEED, CorpusName
from embspace.settings.schema import Strict, validate
from embspace.settings.types import Share

Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
PhaseName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class _Phase(Strict):
    n_steps: int = Field(ge=1)
    n_checkpoints: int = Field(ge=2)  # step 0 and the last among them, between them by logarithm
    batch_size: int = Field(ge=1)  # windows
    learning_rate: float = Field(gt=0)  # after the warm-up; from there it falls in a line to 0
    n_warmup_steps: int = Field(ge=0)
    weight_decay: float = Field(ge=0)  # of matrices alone, as usual
    max_gradient_norm: float = Field(gt=0)

    @model_validator(mode="after")
    def _has_as_many_steps(self) -> "_Phase":
        if self.n_checkpoints > self.n_steps + 1:
            raise ValueError(f"{self.n_steps} steps cannot have {self.n_checkpoints} checkpoints")
        if self.n_warmup_steps >= self.n_steps:
            raise ValueError("n_warmup_steps is not below n_steps")
        return self


class MaskedLanguageModeling(_Phase):
    """Of `masked_share` of the tokens, 80 % are hidden, 10 % exchanged, 10 % left (BERT, 3.1)."""

    objective: Literal["masked_language_modeling"]
    masked_share: Share
    # The token that ends a sentence. With it, as in BERT, half of the windows go on, after a
    # sentence near their middle, with the second half of another text's, to be told apart.
    next_sentence_after: str | None = None


class CausalLanguageModeling(_Phase):
    """Predicts each token from those before it (GPT)."""

    objective: Literal["causal_language_modeling"]


class SequenceClassification(_Phase):
    """Predicts the label of a window, with transformers' head for classification."""

    objective: Literal["sequence_classification"]
    trainable_layers: int | None = Field(None, ge=0)  # the last blocks, and the head; None: all


Phase = MaskedLanguageModeling | CausalLanguageModeling | SequenceClassification
OBJECTIVES: dict[str, type[Phase]] = {
    "masked_language_modeling": MaskedLanguageModeling,
    "causal_language_modeling": CausalLanguageModeling,
    "sequence_classification": SequenceClassification,
}


class Run(Strict):
    """A model of a known architecture, or one of conf/model/, trained in one or more phases.

    Each phase starts from the last checkpoint of the phase before.
    """

    label: str
    license: str
    language: str
    corpus: CorpusName  # conf/corpus/<corpus>.yaml
    label_column: Literal["label", "domain"] | None = None  # of the texts; what is classified
    test_share: Share  # of documents, of each label, held out
    split_seed: int = Field(ge=0)
    window: int = Field(ge=4)  # tokens read at once, special ones among them
    seeds: list[Seed] = Field(min_length=1)  # each a model of its own: weights, order, masks
    precision: Literal["float32", "bfloat16"] = "float32"  # of the products; weights stay float32
    base: str | None = None  # a model of conf/model/ to start from
    stitched_on: str | None = None  # one of the base's vocabulary, below the tuned blocks
    architecture: dict[str, Any] | None = None  # else: a config of transformers
    matrices: Matrices | None = None  # where the learned matrices are in that architecture
    final_norm: str | None = None  # the module after its last block, if it has one
    phases: dict[PhaseName, Phase]


def run_file(name: str) -> str:
    """Return the path of the file that describes the run `name`."""
    return str(CONF / "train" / f"{name}.yaml")


def describe_run(name: str, content: dict[str, Any]) -> Run:
    """Return the checked content of a run's file.

    Raises:
        InputError: naming file, key, and the found and allowed values.
    """
    file, phases = run_file(name), content.get("phases")
    if "phases" not in content:
        raise InputError(f"{file}: key 'phases' is missing")
    if not isinstance(phases, dict) or not phases:
        raise InputError(f"{file}: key 'phases': found {phases!r}, expected names and what is done")
    described = {key: _phase(file, key, phase) for key, phase in phases.items()}
    run = validate(Run, {**content, "phases": described}, file)
    if flaw := _flaw(run):
        raise InputError(f"{file}: {flaw}")
    return run


def tuned_blocks(run: Run) -> int:
    """Return how many of the last blocks a classification in a single phase tunes; else 0."""
    phases = list(run.phases.values())
    only = phases[0]
    if len(phases) > 1 or not isinstance(only, SequenceClassification):
        return 0
    return only.trainable_layers or 0


def _phase(file: str, key: object, content: Any) -> Phase:
    start = f"{file}: key 'phases.{key}"
    if not isinstance(content, dict):
        raise InputError(f"{start}': found {content!r}, expected keys and values")
    objective = content.get("objective")
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise InputError(f"{start}.objective': {not_among(objective, OBJECTIVES)}")
    try:
        return validate(OBJECTIVES[objective], content, file)
    except InputError as error:
        # The keys of a phase, or '' for the phase itself, as they stand in the file.
        message = str(error).replace(f"{file}: key ''", f"{start}'")
        raise InputError(
            re.sub(f"{re.escape(file)}: key '(?!phases)", f"{start}.", message)
        ) from None


def _flaw(run: Run) -> str:
    """Return a contradiction between settings of a run; "" without contradictions."""
    classified = [isinstance(phase, SequenceClassification) for phase in run.phases.values()]
    if (run.base is None) == (run.architecture is None):
        return "expected either 'base', a model to start from, or 'architecture'"
    if (run.architecture is None) != (run.matrices is None):
        return "key 'matrices': belongs to 'architecture', a base has its own"
    if run.architecture is None and run.final_norm is not None:
        return "key 'final_norm': belongs to 'architecture', a base has its own"
    if run.stitched_on is not None and (run.base is None or not tuned_blocks(run)):
        return (
            "key 'stitched_on': belongs to a 'base' of which a single phase, "
            "sequence_classification, tunes the last blocks, as 'trainable_layers' says"
        )
    if len(set(run.seeds)) < len(run.seeds):
        return f"key 'seeds': one stands there twice, found {run.seeds}"
    if any(classified) != (run.label_column is not None):
        return "key 'label_column': belongs to the objective sequence_classification"
    if any(classified[:-1]):
        return "key 'phases': sequence_classification can only be the last"
    if run.architecture is not None and classified[0]:
        return "key 'phases': a new architecture has to learn its language before it classifies"
    if run.architecture is not None and not isinstance(run.architecture.get("model_type"), str):
        model_type = run.architecture.get("model_type")
        return f"key 'architecture.model_type': found {model_type!r}, expected a name, as bert"
    return ""
