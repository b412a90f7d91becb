"""Command `embspace fetch`: takes models from the hub or out of wheels, and keeps models.lock."""

from collections.abc import Iterator

from embspace.errors import InputError, within
from embspace.models.hub import (
    choose_files,
    fetch_file,
    fetch_modules,
    has_weights,
    list_files,
)
from embspace.models.locate import locate_files, sha256
from embspace.models.lock import (
    LOCK,
    LockedFile,
    LockedModel,
    LockedWheel,
    add_to_lock,
    check_pins,
    read_lock,
)
from embspace.models.tokenizer import tokenizer_files
from embspace.models.wheels.convert import convert_wheel
from embspace.prepare.checkpoints import checkpoints_to_read
from embspace.settings.find_description import described_in
from embspace.settings.model import (
    HubFiles,
    HubModel,
    Model,
    WheelFiles,
    WheelModel,
    describe_model,
)
from embspace.settings.params import CONF
from embspace.settings.schema import read_yaml

Remark = str


def fetch_models(names: list[str], *, update: bool, checkpoints: bool = False) -> Iterator[Remark]:
    """Fetch all models from the hub or from wheels, and report the outcome by model.

    A model in models.lock is fetched at the locked commit, whatever the branch has become; anew
    with `update`, or when the model's file names a new repository or revision. `checkpoints` also
    fetches the checkpoints chosen by conf/prepare/checkpoints.yaml.

    Raises:
        InputError: if a model is unknown or has no checkpoints to fetch, before any fetch; or if a
            download fails, after the models before.
    """
    described = [(name, _described(name)) for name in names]
    chosen = {
        name: checkpoints_to_read(name, model) if checkpoints else [] for name, model in described
    }
    for name, model in described:
        if isinstance(model, WheelModel):
            yield from _fetch_wheel(name, model, update=update)
            continue
        files = tokenizer_files(model)
        if not isinstance(files, HubFiles):
            yield f"{name}: nothing to fetch, for it is neither on the hub nor in a wheel"
            continue
        yield from _fetch(name, files, weights=isinstance(model, HubModel), update=update)
        for checkpoint in chosen[name]:
            with within(checkpoint.name):
                yield from _fetch(checkpoint.name, checkpoint.files, weights=True, update=update)


def fetch_files(name: str, files: HubFiles) -> Iterator[Remark]:
    """Fetch a repository that no file of conf/model/ describes; models.lock lists it as `name`.

    Raises:
        InputError: if the repository cannot be fetched.
    """
    yield from _fetch(name, files, weights=True, update=False)


def _described(name: str) -> Model:
    path = described_in(CONF / "model", name)
    return describe_model(name, read_yaml(path))


def _fetch(name: str, files: HubFiles, *, weights: bool, update: bool) -> Iterator[Remark]:
    entry_before = read_lock().get(name)
    known = entry_before if isinstance(entry_before, LockedModel) else None
    complete = known and (not weights or has_weights(list(known.files), files.unpickle))
    if known and complete and known.answers(files) and not update:
        yield _fetch_again(name, files, known)
        return
    entry = _fetch_anew(name, files, weights=weights)
    add_to_lock(name, entry)
    yield f"{name}: {_summary(entry)}"
    if known:
        yield f"{name}: {change(known, entry)}"


def _fetch_anew(name: str, files: HubFiles, *, weights: bool) -> LockedModel:
    listing = list_files(name, files, files.revision)
    modules = fetch_modules(name, files, listing)
    chosen = choose_files(name, files, listing, modules, weights=weights)
    locked = {}
    for file in chosen:
        path = fetch_file(name, files, listing.commit, listing.files[file])
        locked[file] = LockedFile(sha256=sha256(path), size=path.stat().st_size)
    entry = LockedModel(
        repository=files.repository, revision=files.revision, commit=listing.commit, files=locked
    )
    check_pins(name, files, entry)
    return entry


def _fetch_again(name: str, files: HubFiles, known: LockedModel) -> Remark:
    """Fetch the files of a commit in models.lock that are missing; if none is, make no request."""
    try:
        locate_files(name, files)
        return f"{name}: {_summary(known)}: all here"
    except InputError:
        listing = list_files(name, files, known.commit)
    for file, locked in known.files.items():
        if file not in listing.files:
            raise InputError(
                f"{LOCK}, '{name}': {files.repository} has no {file} at {known.commit}"
            )
        digest = sha256(fetch_file(name, files, known.commit, listing.files[file]))
        if digest != locked.sha256:
            raise InputError(
                f"{LOCK}, '{name}': {file} at {known.commit} is another on the hub\n"
                f"  found    {digest}\n  expected {locked.sha256}\n"
                "a commit never changes: do not take it before you know why it did here"
            )
    return f"{name}: {_summary(known)}"


def _fetch_wheel(name: str, files: WheelFiles, *, update: bool) -> Iterator[Remark]:
    """Make the model of a wheel; if all of its files are here, make no request."""
    before = read_lock().get(name)
    answers = isinstance(before, LockedWheel) and before.answers(files)
    known = before if isinstance(before, LockedWheel) and answers and not update else None
    if known and _is_here(name, files):
        yield f"{name}: {_summary_of_wheel(known)}: all here"
        return
    entry = convert_wheel(name, files, known)
    add_to_lock(name, entry)
    yield f"{name}: {_summary_of_wheel(entry)}"


def _is_here(name: str, files: WheelFiles) -> bool:
    try:
        locate_files(name, files)
    except InputError:
        return False
    return True


def change(before: LockedModel, after: LockedModel) -> str:
    """Return what changed between two fetches."""
    if before.repository != after.repository:
        return f"was {before.repository} before"
    if before.commit == after.commit:
        return f"as before, {after.revision} is still {after.commit[:8]}"
    old, new = before.files, after.files
    what = {
        "new": new.keys() - old.keys(),
        "gone": old.keys() - new.keys(),
        "changed": {file for file in old.keys() & new.keys() if old[file] != new[file]},
    }
    listed = [f"{key}: {', '.join(sorted(files))}" for key, files in what.items() if files]
    moved = f"was {before.commit[:8]} before"
    return f"{moved}; {'; '.join(listed) or 'its files are the same'}"


def _summary(entry: LockedModel) -> str:
    return f"{entry.repository}, {entry.revision} is {entry.commit[:8]}, {_size(entry)}"


def _summary_of_wheel(entry: LockedWheel) -> str:
    return f"{entry.package} {entry.version}, {_size(entry)}"


def _size(entry: LockedModel | LockedWheel) -> str:
    size = sum(file.size for file in entry.files.values()) / 1e6
    return f"{len(entry.files)} files, {size:.1f} MB"
