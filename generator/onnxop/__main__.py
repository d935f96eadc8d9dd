# PYTHON_ARGCOMPLETE_OK
"""``python -m onnxop``."""

import sys

from .cli import main

sys.exit(main())
