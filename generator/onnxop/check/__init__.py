"""What the runtime says of a spec before anything is built: its mapping, its samples, its values."""
