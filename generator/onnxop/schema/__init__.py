"""PyTorch's signatures: parsed and looked up, with their arguments."""
