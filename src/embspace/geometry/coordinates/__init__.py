"""The distance of the coordinates' distribution from normal."""
