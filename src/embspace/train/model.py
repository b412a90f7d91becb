"""Stage `train_model`: a model by its run in conf/train/, with checkpoints from step 0 on."""

from pathlib import Path

import pandas as pd

from embspace.device import Device, choose_device
from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.models.lock import locked_model, locked_wheel, read_lock
from embspace.settings.model import HubModel, RandomModel, VectorsModel, WheelModel, describe_model
from embspace.settings.run import Run, describe_run, run_file
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.train.checkpoints import all_checkpoints, remove_others
from embspace.train.seeds import Pretrained, Training, train_seed


def train_model(name: str, run: Run, texts: pd.DataFrame, root: str, device: Device) -> None:
    """Train a model for every seed of `run`, and write the checkpoints into `root`.

    `texts` is the result of `prepare_training_texts`; the test split is not read.

    The weights follow only from the run, the texts, the seed and the step: continuing from a
    checkpoint gives the same weights. Checkpoints of exactly the same training are therefore kept,
    and training begins after the last whole checkpoint. Seeds train side by side, in one thread a
    seed, and the number of cores changes no sum; on a GPU in sequence.

    Raises:
        InputError: if the run does not fit texts or architecture; or if a loss is not finite, or
            memory or disk are full, naming the last checkpoint, which stays.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    remove_others(root, all_checkpoints(root, run))
    chosen = choose_device(device)
    training = Training(name, root, run, texts, chosen, _base(name, run))
    try:
        Parallel(n_jobs=_at_once(len(run.seeds), chosen))(
            delayed(train_seed)(training, seed) for seed in run.seeds
        )
    except TerminatedWorkerError as error:
        raise InputError(
            f"{run_file(name)}: a process that trained was ended from outside, perhaps for want of "
            f"memory; the checkpoints in {root} stay, and training goes on from them"
        ) from error


def _at_once(n_seeds: int, device: str) -> int:
    """Return the number of seeds to train at a time: one on a GPU, else one a core.

    All, if fewer than two per core: three seeds sharing two cores take one and a half times as long
    as one, against twice as long for two and then one. With more seeds the last round is a smaller
    part, and every seed holds a model in memory.
    """
    from joblib import cpu_count

    if device != "cpu":
        return 1
    return n_seeds if n_seeds < 2 * cpu_count() else int(cpu_count())


def _base(name: str, run: Run) -> Pretrained | None:
    """The description of the model to start from, if the run names one."""
    if run.base is None:
        return None
    file = Path(f"conf/model/{run.base}.yaml")
    if not file.is_file():
        raise InputError(f"{run_file(name)}: key 'base': found {run.base!r}, but no file {file}")
    model = describe_model(run.base, read_yaml(file))
    if isinstance(model, VectorsModel | RandomModel):
        raise InputError(f"{run_file(name)}: key 'base': {file} describes no trained weights")
    if isinstance(model, HubModel):
        locked_model(run.base, model, read_lock("models.lock"))
    if isinstance(model, WheelModel):
        locked_wheel(run.base, model, read_lock("models.lock"))
    return model


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    texts = load_rows(f"data/prepared/training_texts/{name}.parquet")
    train_model(name, run, texts, f"data/trained/{name}", config.device)


if __name__ == "__main__":
    run_stage(main, train_model, groups=("train",))
