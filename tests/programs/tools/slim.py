# Run by test_onnxslim of test_tools.py.
import many_ops
import numpy
import onnx
import onnxruntime
import onnxslim
import torch


class Both(torch.nn.Module):
    def forward(self, a, b, weight):
        return many_ops.squared_distances(a, b, weight), many_ops.squared_distances(a, b + 1)


both, args = Both().eval(), (torch.rand(2, 4), torch.rand(3, 4), torch.rand(4))
for dynamo in (True, False):
    many_ops.export(both, args, "m.onnx", domain="my_lib", opset_version=19, dynamo=dynamo)
    slim = onnxslim.slim(onnx.load("m.onnx")).SerializeToString()
    for options in (onnxruntime.SessionOptions(), many_ops.session_options()):
        session = onnxruntime.InferenceSession(slim, options)
        feeds = {port.name: x.numpy() for port, x in zip(session.get_inputs(), args, strict=True)}
        pairs = zip(session.run(None, feeds), both(*args), strict=True)
        print(all(numpy.allclose(actual, wanted, atol=1e-5) for actual, wanted in pairs))
