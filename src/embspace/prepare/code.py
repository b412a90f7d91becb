"""Stage `prepare_code`: the code behind every stage, and the packages imported by this code.

DVC does not follow imports. This stage does, and no stage lists code by hand: every stage depends
on the file data/prepared/code/<verb>_<noun>.txt of the stage's module, which changes with the
behavior of any module run by the stage, and with the locked version of any imported package.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from embspace.errors import InputError
from embspace.files.atomic import write_bytes
from embspace.prepare.code_module import Module, md5
from embspace.settings.stage import StageConfig, run_stage

PACKAGE = "embspace"
Modules = Mapping[str, Module]


def prepare_code(source: Path, locked: str) -> dict[str, str]:
    """Return, by stage, the hashes of the code and the versions of the packages.

    Args:
        source: The folder of the package, with a module `<verb>/**/<noun>.py` per stage
            `<verb>_<noun>`; the module calls `run_stage`.
        locked: The content of requirements.lock.

    Raises:
        InputError: if the code of a stage imports a module by a name that only a run knows, or a
            name that a package loads on demand: neither can be followed.
    """
    modules, packages = modules_in(source), _locked_packages(locked)
    return {
        stage: "".join(f"{line}\n" for line in _description(start, modules, packages, source))
        for stage, start in stages_in(modules).items()
    }


def modules_in(source: Path) -> dict[str, Module]:
    """Return every module and package by its dotted name."""
    paths = sorted((source / PACKAGE).rglob("*.py"))
    names = (".".join(path.relative_to(source).with_suffix("").parts) for path in paths)
    return {
        name.removesuffix(".__init__"): Module(path)
        for name, path in zip(names, paths, strict=True)
    }


def stages_in(modules: Modules) -> dict[str, str]:
    """Return the dotted name of each stage's module by the stage's name, `<verb>_<noun>`."""
    stages = {}
    for name, module in modules.items():
        if module.is_stage and name != f"{PACKAGE}.prepare.code":
            verb, *folders = name.removeprefix(f"{PACKAGE}.").removesuffix(".__main__").split(".")
            stages["_".join([verb, *folders[-1:]])] = name
    return stages


def code_of(start: str, modules: Modules) -> list[Module]:
    """Return the modules that run when `start` does, sorted by path."""
    queue = [*_with_packages(start)]
    reached = set(queue)
    for name in queue:
        for imported in _imported_of_ours(modules[name], modules):
            if imported not in reached:
                reached.add(imported)
                queue.append(imported)
    return sorted((modules[name] for name in reached), key=lambda module: module.path)


def _description(
    start: str, modules: Modules, packages: Mapping[str, Mapping[str, str]], source: Path
) -> Iterator[str]:
    code = code_of(start, modules)
    digests = {module.path: module.digest for module in code}
    digests |= {path: md5(path.read_bytes()) for module in code for path in module.opened_beside}
    for path, digest in sorted(digests.items()):
        yield f"{digest}  {(source.name / path.relative_to(source)).as_posix()}"
    roots = {imported.module.partition(".")[0] for module in code for imported in module.imports}
    pins = {name: pin for root in roots for name, pin in packages.get(root, {}).items()}
    yield from (f"{name}=={version}" for name, version in sorted(pins.items()))


def _imported_of_ours(importer: Module, modules: Modules) -> Iterator[str]:
    """Yield our modules that a module imports, and the packages they lie in."""
    for module, names in importer.imports:
        if module.partition(".")[0] != PACKAGE:
            continue
        inside = [f"{module}.{name}" for name in names]
        lost = [name for name in inside if name not in modules]
        if lost and modules[module].path.with_suffix(".pyi").is_file():
            raise InputError(
                f"{importer.path}: imports {', '.join(lost)} from a package that loads its names "
                "on demand; in what a stage runs, import from the module that defines them"
            )
        for name in (module, *(submodule for submodule in inside if submodule in modules)):
            yield from _with_packages(name)


def _with_packages(name: str) -> Iterator[str]:
    """Yield `a`, `a.b` and `a.b.c` of `a.b.c`: the `__init__.py` of packages run first."""
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _locked_packages(locked: str) -> dict[str, dict[str, str]]:
    """Return, by importable name, the packages that provide the name, with their versions."""
    pins = (line.split("==") for line in locked.splitlines() if "==" in line)
    versions = {_normal(name): version for name, version in pins}
    return {
        root: {name: versions[name] for name in map(_normal, names) if name in versions}
        for root, names in _installed().items()
        if root not in sys.stdlib_module_names
    }


@cache
def _installed() -> Mapping[str, list[str]]:
    """Return the packages by importable name; to read their files takes half a second."""
    return packages_distributions()


def _normal(name: str) -> str:
    """Return the name of a package as pip compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def source_of() -> Path:
    """Return the folder of the package: of the tree, else of the installed one."""
    source = Path("src")
    return source if (source / PACKAGE).is_dir() else Path(__file__).parents[2]


def main(config: StageConfig) -> None:
    """Load, call, save."""
    locked = Path("requirements.lock").read_text(encoding="utf-8")
    for stage, content in prepare_code(source_of(), locked, **config.settings).items():
        write_bytes(Path(f"data/prepared/code/{stage}.txt"), content.encode())


if __name__ == "__main__":
    run_stage(main, prepare_code, groups=())
