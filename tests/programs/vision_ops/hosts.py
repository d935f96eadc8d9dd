# Run by test_hosts_agree of test_vision_ops.py.
import onnxruntime
import torch
import torch.utils.dlpack
import vision_ops
from onnxruntime import OrtValue


def made(net, args, domain="", **options):
    vision_ops.export(
        net.eval(), args, "model.onnx", domain=domain, dynamo=False, verbose=False, **options
    )
    settings = vision_ops.session_options() if options else onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession("model.onnx", settings, ["CPUExecutionProvider"])
    return session, [port.name for port in session.get_inputs()]


# Every host refuses a box with an invalid image index.
x, rois = torch.rand(2, 3, 6, 5), torch.tensor([[0, 2.0, 2, 3, 3, 0], [1, 3, 2, 3, 3, 1]])
session, names = made(vision_ops.RoiAlignRotated(1.0, 2, 2, 2), (x, rois))
for image in (-1.0, -0.5, 2.0, 1e30, -1e30, float("nan")):
    rois[1, 0] = image
    feeds = dict(zip(names, (x.numpy(), rois.numpy())))
    for call in (
        lambda: session.run(None, feeds),
        lambda: vision_ops.roi_align_rotated(x, rois, 1.0, 2, 2, 2),
        lambda: vision_ops._roi_align_rotated._reference(x, rois, 1.0, 2, 2, 2),
    ):
        try:
            call()
        except Exception as error:
            assert "rois[1] has image index" in str(error) or "out of" in str(error), error
        else:
            raise AssertionError(f"image {image} is read")

# bfloat16 is a native node's: no function body has GridSample of it.
args = (
    torch.rand(1, 12, 2, 4),
    torch.tensor([[3, 4]]),
    torch.tensor([0]),
    torch.rand(1, 3, 2, 1, 2, 2),
    torch.rand(1, 3, 2, 1, 2),
)
half = tuple(x.bfloat16() if x.is_floating_point() else x for x in args)
try:
    made(vision_ops.MsDeformAttn(), half, "vision_ops")
except RuntimeError as error:
    assert "export with function_bodies=False, because the library computes the node" in str(
        error
    ), error
else:
    raise AssertionError("its function body is valid")
wanted = vision_ops.ms_deform_attn(*half)
torch.testing.assert_close(vision_ops._ms_deform_attn._reference(*half), wanted)
session, names = made(vision_ops.MsDeformAttn(), half, "vision_ops", function_bodies=False)
binding = session.io_binding()
for name, x in zip(names, half):
    if x.is_floating_point():
        x = OrtValue.ortvalue_from_numpy_with_onnx_type(x.view(torch.int16).numpy(), 16)
    else:
        x = OrtValue.ortvalue_from_numpy(x.numpy())
    binding.bind_ortvalue_input(name, x)
binding.bind_output(session.get_outputs()[0].name)
session.run_with_iobinding(binding)
(result,) = binding.get_outputs()
result = torch.utils.dlpack.from_dlpack(result._ortvalue.to_dlpack())
torch.testing.assert_close(result, wanted, rtol=0, atol=0)
print("done")
