"""The calls that each run makes, whatever its seed."""
