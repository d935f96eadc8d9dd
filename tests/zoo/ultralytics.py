"""Models of ultralytics."""

from __future__ import annotations

from ultralytics.nn.tasks import DetectionModel, PoseModel, RTDETRDetectionModel, SegmentationModel

from .sets import images, spread

REQUIREMENTS = ("ultralytics",)


def yolo8():
    return DetectionModel("yolov8n.yaml", verbose=False).eval(), images(64, 96)


def yolo11():
    return DetectionModel("yolo11n.yaml", verbose=False).eval(), images(64, 96)


def yolo8_segments():
    return SegmentationModel("yolov8n-seg.yaml", verbose=False).eval(), images(64, 96)


def yolo8_pose():
    return PoseModel("yolov8n-pose.yaml", verbose=False).eval(), images(64, 96)


def rt_detr():
    net = RTDETRDetectionModel("rtdetr-resnet50.yaml", verbose=False)
    return spread(net.eval(), images(128, 160))
