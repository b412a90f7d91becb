"""The value types that several settings share; the name implies the bounds."""

from typing import Annotated

from pydantic import Field

Listed = Annotated[int, Field(gt=0, le=1_000_000)]
"""A number of bins or rows of a table, small enough for memory."""
Share = Annotated[float, Field(gt=0, lt=1)]
"""A part of a whole, neither nothing nor everything; a level strictly between 0 and 1."""
PositiveShare = Annotated[float, Field(gt=0, le=1)]
"""A part of a whole, or the whole."""
Probability = Annotated[float, Field(ge=0, le=1)]
"""A probability; 0 and 1 are allowed."""
