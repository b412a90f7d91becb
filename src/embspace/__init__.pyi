"""The public names, each with the module that defines it."""

from . import geometry as geometry
from .app.api import Spaces as Spaces
from .app.api import spaces as spaces
from .app.practice.outliers import outliers as outliers
from .app.practice.tokens import tokens as tokens
from .app.vectors import report_vectors as report_vectors
from .errors import InputError as InputError

__version__: str
