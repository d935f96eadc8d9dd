# Run by test_import_twice of test_operator_contract.py.
import importlib
import sys
import warnings

warnings.simplefilter("error")
# PyTorch up to 2.13 says that a second import takes over from the first.
warnings.filterwarnings("ignore", "Warning only once for all operators", UserWarning)
import package

importlib.reload(package)
for name in [name for name in sys.modules if name.split(".")[0] == "package"]:
    del sys.modules[name]
import package

print("done")
