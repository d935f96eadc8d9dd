"""An operator in PyTorch: its description, and its registration with the dispatcher."""
