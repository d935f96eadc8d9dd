"""What the runtime promises of every operator alike: tests that run beside packages, once for all."""
