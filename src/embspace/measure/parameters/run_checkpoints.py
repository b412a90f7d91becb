"""Parameters of the checkpoints of a run that were trained, and of the checkpoints before them."""

from collections.abc import Iterator

from embspace.analysis import Source
from embspace.extract.checkpoints import form_of
from embspace.models.parameters.read import ModelParameters, run_parameters
from embspace.models.tokenizer import read_tokenizer
from embspace.settings.run import Run
from embspace.train.checkpoints import Checkpoint, checkpoints_of, read_record
from embspace.train.heads import load_head


def trained_checkpoints(root: str, run: Run) -> list[Checkpoint]:
    """Return the models of every seed before any training, and after every phase.

    With a base, all seeds are the same before training, and these models are left out.
    """
    checkpoints = []
    for seed in run.seeds:
        phases = [checkpoints_of(root, run, seed, phase) for phase in run.phases]
        checkpoints += [phases[0][0]] if run.base is None else []
        checkpoints += [phase[-1] for phase in phases]
    return checkpoints


def checkpoint_parameters(
    run: Run, checkpoint: Checkpoint, final_norm: str | None
) -> ModelParameters:
    """Read the parameters of a checkpoint, after a check of the files against the record.

    Raises:
        InputError: if a file is missing or changed, or for an architecture with unknown blocks.
    """
    folder = checkpoint.folder
    read_record(folder)
    module = load_head(folder, run.phases[checkpoint.phase])
    return run_parameters(module, read_tokenizer(folder), final_norm)


def trained_models(root: str, name: str, run: Run) -> Iterator[tuple[Checkpoint, ModelParameters]]:
    """Yield the trained checkpoints of a run with their parameters, reading one at a time.

    Raises:
        InputError: as `checkpoint_parameters`.
    """
    final_norm = form_of(name, run)["final_norm"]
    for checkpoint in trained_checkpoints(root, run):
        yield checkpoint, checkpoint_parameters(run, checkpoint, final_norm)


TRAINED_MODELS = Source(trained_models, "data/trained/{run}", described=True)
