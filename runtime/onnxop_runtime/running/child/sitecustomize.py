"""Start the rules of ``onnxop run`` in a Python process of its command, which imports this module
first.
"""

import importlib
import sys
from pathlib import Path


def _import_next() -> None:
    """Import the sitecustomize that this one hides, such as the system's."""
    folder, own = str(Path(__file__).parent), sys.modules.pop(__name__)
    hidden, sys.path[:] = sys.path[:], [path for path in sys.path if path != folder]
    try:
        importlib.import_module(__name__)
    except ModuleNotFoundError as error:
        if error.name != __name__:
            raise
        sys.modules[__name__] = own
    finally:
        sys.path[:] = [path for path in hidden if path != folder]


def _start() -> None:
    """Have rules registered as soon as the process imports PyTorch."""
    try:
        from onnxop_runtime.running import start
    except ModuleNotFoundError:  # a Python of another environment
        return
    start.start_at_first_export()


if __name__ == "sitecustomize":
    _import_next()
    _start()
