"""Libraries that are imported when a test takes something of them, not when tests are collected.

torch and transformers take three seconds: whoever runs one test that needs neither has not to wait.
Annotations are no use of them where a file begins with `from __future__ import annotations`.
"""

from importlib import import_module
from types import ModuleType
from typing import Any


class Lazy(ModuleType):
    """Stands for a module, and gives what that has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")) and name != "__version__":  # collection looks for them
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name}: set it in the module, as monkeypatch could not take it back")


torch: Any = Lazy("torch")
transformers: Any = Lazy("transformers")
safetensors_torch: Any = Lazy("safetensors.torch")
tokenizers: Any = Lazy("tokenizers")
sentence_transformers: Any = Lazy("sentence_transformers")
