"""A process whose exports use rules and are recorded: that of ``onnxop run``, and those that it
starts.
"""
