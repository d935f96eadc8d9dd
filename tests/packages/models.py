"""Models that call the reference ops, as code of the processes that tests start."""

from tests.programs import program

MODELS = program("models/of_reference_ops")
