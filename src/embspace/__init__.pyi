"""The public names, each with the module that defines it."""

from . import geometry as geometry
from .app.api import Spaces as Spaces
from .app.api import spaces as spaces
from .app.practice.canary import check_canary as check_canary
from .app.practice.canary import save_canary as save_canary
from .app.practice.compress import compress as compress
from .app.practice.drift import drift as drift
from .app.practice.hubs import hubs as hubs
from .app.practice.outliers import outliers as outliers
from .app.practice.threshold import threshold as threshold
from .app.practice.tokens import tokens as tokens
from .app.practice.transform import transform as transform
from .app.practice.versions import versions as versions
from .app.vectors import report_vectors as report_vectors
from .errors import InputError as InputError

__version__: str
