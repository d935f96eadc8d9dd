# Run by test_one_model of test_ops.py.
import many_ops
import torch


class Net(torch.nn.Module):
    def forward(self, x, weight):
        y = many_ops.swish(x, alpha=1.5)
        mean, spread, *_ = many_ops.mean_and_spread(y, weight)
        return many_ops.axps(y, 1.5), mean, spread


net, args = Net().eval(), (torch.rand(3, 6), torch.rand(6))
own = {"my_ops::swish": "my_ops", "my_lib::mean_and_spread": "my_lib", "my::axps": "my"}
for domain in ("", own, "mine"):
    report = many_ops.verify(net, args, domain=domain, opset_version=24)
    print(sorted(report.errors), max(report.errors.values()) < 1e-5)
# swish is Swish of opset 22 and later, which the TorchScript exporter does not write.
report = many_ops.verify(net, args, domain={"my_ops::swish": "my_ops"}, dynamo=False)
print(sorted(report.errors), max(report.errors.values()) < 1e-5)
try:
    many_ops.export(net, args, "net.onnx", dynamo=False)
except ValueError as error:
    print("the TorchScript exporter cannot write my_ops::swish" in str(error))
