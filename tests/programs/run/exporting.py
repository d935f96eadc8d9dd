"""Exports as scripts make them; the arguments choose one."""

import io
import sys
import warnings

import net
import torch

warnings.simplefilter("ignore")


def main():
    chosen = sys.argv[1:]
    model = net.Net() if "net" in chosen else net.Plain()
    x = torch.rand(2, 3)
    options = {"verbose": False, "dynamo": "torchscript" not in chosen, "input_names": ["x"]}
    if "dynamic" in chosen:
        options["dynamic_axes"] = {"x": {0: "n"}}
    if "saved" in chosen:
        program = torch.onnx.export(model, (x,), **options)
        program.save("saved.onnx")
    elif "stream" in chosen:
        torch.onnx.export(model, (x,), io.BytesIO(), **options)
    else:
        torch.onnx.export(model, (x,), "model.onnx", **options)
    if "broken" in chosen:
        with open("model.onnx", "ab") as file:
            file.write(b"junk")
    print("the command ran as", __name__, chosen)
    if "exit" in chosen:
        sys.exit(7)
    if "raise" in chosen:
        raise RuntimeError("of the command")


if __name__ == "__main__":
    main()
