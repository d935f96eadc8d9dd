# Run by test_angles_have_one_sign of test_vision_ops.py.
import math

import torch
import vision_ops

# A bright point at a distance along the side w of a long box, once for each sign of the angle.
ANGLE, DISTANCE, SIZE = math.pi / 6, 8.0, 33
CENTRE = SIZE / 2


def point_along(sign):
    """Return the point on the side w: y points down, so that sign -1 is counterclockwise."""
    return CENTRE + DISTANCE * math.cos(ANGLE), CENTRE + sign * DISTANCE * math.sin(ANGLE)


def reads(sign, **options):
    """Return whether roi_align_rotated reads the point along the side."""
    x, y = point_along(sign)
    image = torch.zeros(1, 1, SIZE, SIZE)
    image[0, 0, int(y), int(x)] = 1.0
    rois = torch.tensor([[0.0, CENTRE, CENTRE, 20.0, 1.0, ANGLE]])
    result = vision_ops.roi_align_rotated(image, rois, output_height=1, output_width=40, **options)
    return bool(result.amax() > 0.2)


def suppresses(sign, **options):
    """Return whether nms_rotated finds that the box overlaps a small one at the point."""
    boxes = torch.tensor(
        [[CENTRE, CENTRE, 20.0, 1.0, ANGLE], [*point_along(sign), 1.0, 1.0, ANGLE]]
    )
    kept = vision_ops.nms_rotated(boxes, torch.tensor([0.9, 0.8]), 0.01, **options)
    return len(kept) == 1


for options, sign in (({}, -1), ({"clockwise": False}, -1), ({"clockwise": True}, 1)):
    for overlaps in (reads, suppresses):
        assert overlaps(sign, **options), (overlaps, options)
        assert not overlaps(-sign, **options), (overlaps, options)
print("done")
