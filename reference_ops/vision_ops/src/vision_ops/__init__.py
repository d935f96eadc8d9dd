"""Operators of vision and sequence models: attention, rotated boxes, CARAFE, selective scan."""

from onnxop_runtime import Package, Verification

from ._carafe import Carafe, CarafeFunction, carafe
from ._ms_deform_attn import MsDeformAttn, MsDeformAttnFunction, ms_deform_attn
from ._nms_rotated import NmsRotated, NmsRotatedFunction, nms_rotated
from ._roi_align_rotated import RoiAlignRotated, RoiAlignRotatedFunction, roi_align_rotated
from ._selective_scan import SelectiveScan, SelectiveScanFunction, selective_scan
from ._selective_scan_with_state import (
    SelectiveScanWithState,
    SelectiveScanWithStateFunction,
    selective_scan_with_state,
)

__version__ = "0.1.0"
# api: the version of onnxop_runtime's interface that this package was made for.
package = Package.of(__name__, api=1)
export = package.export
library_path = package.library_path
session = package.session
session_options = package.session_options
translation_table = package.translation_table
verify = package.verify

__all__ = [
    "Carafe",
    "CarafeFunction",
    "MsDeformAttn",
    "MsDeformAttnFunction",
    "NmsRotated",
    "NmsRotatedFunction",
    "RoiAlignRotated",
    "RoiAlignRotatedFunction",
    "SelectiveScan",
    "SelectiveScanFunction",
    "SelectiveScanWithState",
    "SelectiveScanWithStateFunction",
    "Verification",
    "carafe",
    "export",
    "library_path",
    "ms_deform_attn",
    "nms_rotated",
    "roi_align_rotated",
    "selective_scan",
    "selective_scan_with_state",
    "session",
    "session_options",
    "translation_table",
    "verify",
]
