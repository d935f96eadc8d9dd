# Run by test_a_file_without_paths of test_ship.py.
import hashlib
import os
import sys
from pathlib import Path

import my_add
import onnx
import torch

SOURCE = """
import my_add, torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        y = self.linear(my_add.my_add(x, x))
        return torch.cond(y.sum() > 0, torch.sin, torch.cos, (y,))

class Plain(Net):
    def forward(self, x):
        return self.linear(my_add.my_add(x, x))
"""
home = os.getcwd()
hashes: dict[str, list[str]] = {}
for name in ("first", "second"):
    folder = Path(home, name)
    folder.mkdir()
    (folder / "net.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    sys.modules.pop("net", None)
    import net

    for dynamo in (True, False):
        for domain in ("", "my_lib"):
            model = (net.Net if dynamo else net.Plain)().eval()
            options = {"dynamo": dynamo, "domain": domain, "verbose": False}
            for stripped in (False, True):
                file = Path(f"{dynamo}{domain}{stripped}.onnx")
                program = my_add.export(model, (torch.rand(2, 3),), file, strip=stripped, **options)
                data = file.read_bytes()
                hashes.setdefault(file.name, []).append(hashlib.sha256(data).hexdigest())
                has_path = home.encode() in data
                print(has_path == (dynamo and not stripped), file, len(data))
                if program is not None:
                    proto = program.model_proto.SerializeToString()
                    print((home.encode() in proto) == (not stripped))
                if stripped:
                    report = my_add.verify(model, (torch.rand(2, 3),), f=file)
                    print("ONNX Runtime" in report.errors, report)
    sys.path.remove(str(folder))
for name, pair in hashes.items():
    is_stripped = name.endswith("True.onnx")
    print(not is_stripped or len({*pair}) == 1, name, pair)
entries = onnx.load("Truemy_libTrue.onnx").metadata_props
print([entry.key for entry in entries] == ["onnxop.my_lib::my_add"], entries)
