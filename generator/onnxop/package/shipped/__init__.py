"""The parts of `onnxop ship`: the model's file, the libraries for its nodes, the folder and its
README.
"""
