# Run by test_tools of test_tools.py.
import deform_conv2d
import onnx.compose
import onnx.inliner
import onnx.utils
import onnx.version_converter
import onnxruntime
import onnxscript.optimizer
from onnxconverter_common import float16
from onnxruntime.quantization import quant_pre_process, quantize_dynamic
from tests.programs.tools.model import wanted, x


def told(model, tolerance=1e-5):
    sessions = []
    for options in (onnxruntime.SessionOptions(), deform_conv2d.session_options()):
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        except Exception:
            sessions.append("refused")
            continue
        (actual,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        sessions.append("right" if abs(actual - wanted).max() < tolerance else "wrong")
    own = [node.op_type for node in model.graph.node if "deform_conv2d" in node.op_type]
    return own, *sessions


def file(path, call):
    call("net.onnx", path)
    return onnx.load(path)


load = lambda: onnx.load("net.onnx")
stays, gone = (["deform_conv2d"], "right", "right"), ([], "right", "right")
alone = (["deform_conv2d"], "refused", "right")
print(told(float16.convert_float_to_float16(load(), keep_io_types=True), 1e-2) == stays)
print(told(file("q.onnx", quantize_dynamic), 5e-2) == stays)
kept = {"skip_optimization": True, "skip_symbolic_shape": True}
print(told(file("p.onnx", quant_pre_process)) == gone)
print(told(file("p.onnx", lambda *files: quant_pre_process(*files, **kept))) == stays)
print(told(onnx.inliner.inline_local_functions(load())) == gone)
print(told(onnxscript.optimizer.optimize(load())) == gone)
print(told(onnx.version_converter.convert_version(load(), 21)) == alone)
print(told(onnx.compose.add_prefix(load(), "a_"))[0] == ["a_deform_conv2d"])
print(told(onnx.compose.add_prefix(load(), "a_", rename_functions=False)) == stays)
