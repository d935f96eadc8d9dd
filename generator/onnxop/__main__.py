"""``python -m onnxop``."""

import sys

from onnxop.cli import main

sys.exit(main())
