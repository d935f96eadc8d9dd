# Run by test_a_detector_with_a_scripted_loop of test_scan_functions.py.
import torch
from torchvision.models.detection import maskrcnn_resnet50_fpn


def build():
    torch.manual_seed(0)
    options = {"min_size": 64, "max_size": 64, "box_score_thresh": 0.0, "box_detections_per_img": 3}
    options |= {"rpn_pre_nms_top_n_test": 20, "rpn_post_nms_top_n_test": 10}
    model = maskrcnn_resnet50_fpn(weights=None, weights_backbone=None, **options)
    return model.eval(), ([torch.rand(3, 64, 64)],)
