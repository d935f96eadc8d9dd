"""PyTorch's signatures: parsed, looked up, and their arguments."""
