# Run by test_results_that_are_inputs of test_export.py: ONNX Runtime does not load a function whose
# output is its input, or another output.
import torch
import twin

from onnxop_runtime.mapping.opsets import DYNAMO, TORCHSCRIPT

x = torch.randn(2, 3)


class Alone(torch.nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.flag = flag

    def forward(self, a, b):
        return twin.twin(a, b, flag=self.flag)


(operator,) = twin.package.operators
standard = {True: operator.dynamo_opsets, False: operator.torchscript_opsets}
for domain, spans in (("", standard), ("my_lib", {True: DYNAMO, False: TORCHSCRIPT})):
    for dynamo, opsets in spans.items():
        for opset in (opsets[0], opsets[-1]):
            for flag in (True, False):
                report = twin.verify(
                    Alone(flag), (x, x), dynamo=dynamo, opset_version=opset, domain=domain
                )
                assert set(report.errors) == {"ONNX Runtime", "onnx.reference"}, report
print("done")
