"""Command `embspace describe`, and models by folder or repository without a file in conf/model/."""
