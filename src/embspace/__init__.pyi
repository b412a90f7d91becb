"""The public names, each with the module that defines it."""

from .api import Spaces as Spaces
from .api import spaces as spaces
from .errors import InputError as InputError
from .vectors import report_vectors as report_vectors
