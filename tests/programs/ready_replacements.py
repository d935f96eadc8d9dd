# Run by test_ready_replacements.py, with the name of a function below, and the original, the replacement and the exporters
# of a row of the page: exports a module of a library with the replacement, and compares the file with the library's results.
import importlib
import sys
import types

import onnx
import torch
import vision_ops

import onnxop_runtime

SIZES = [(4, 5), (2, 3)]
SHAPES = torch.tensor(SIZES)
LEVELS = {"spatial_shapes": SHAPES, "spatial_shapes_list": SIZES}
STARTS = torch.tensor([0, 20])
MODELS = "transformers.models.{0}.modeling_{0}"


class Attention(torch.nn.Module):
    """Calls an attention module of a library with two levels of features."""

    def __init__(self, attention, **sizes):
        super().__init__()
        self.attention, self.sizes = attention, sizes

    def forward(self, queries, points, values):
        result = self.attention(
            queries, encoder_hidden_states=values, reference_points=points, **self.sizes
        )
        return result[0]

    @staticmethod
    def inputs():
        return torch.randn(2, 7, 32), torch.rand(2, 7, 2, 2), torch.randn(2, 26, 32)


def attention_of(name, *arguments, **features):
    """Return the attention of a model of transformers, and its inputs."""
    module = importlib.import_module(MODELS.format(name))
    (attention,) = (
        value
        for key, value in vars(module).items()
        if key.endswith("MultiscaleDeformableAttention")
    )
    return Attention(
        attention(*arguments), level_start_index=STARTS, **features
    ), Attention.inputs()


def deformable_detr():
    from transformers import DeformableDetrConfig

    config = DeformableDetrConfig(d_model=32, num_feature_levels=2)
    return attention_of("deformable_detr", config, 4, 3, **LEVELS)


def grounding_dino():
    from transformers import GroundingDinoConfig

    config = GroundingDinoConfig(d_model=32, num_feature_levels=2)
    return attention_of("grounding_dino", config, 4, 3, **LEVELS)


def rt_detr():
    from transformers import RTDetrConfig

    config = RTDetrConfig(d_model=32, num_feature_levels=2)
    return attention_of("rt_detr", config, 4, 3, **LEVELS)


class WholeRtDetr(torch.nn.Module):
    """RT-DETR, which sorts its queries by scores. As the library makes them, with small weights, the
    scores are nearly equal, and their order in float32 is not that in float64; those of the weights
    below differ.
    """

    def __init__(self):
        from transformers import RTDetrConfig, RTDetrForObjectDetection, RTDetrResNetConfig

        super().__init__()
        layers = {"depths": [1, 1, 1, 1], "layer_type": "basic"}
        channels = {"embedding_size": 8, "hidden_sizes": [8, 16, 32, 64]}
        stages = {"out_features": ["stage2", "stage3", "stage4"]}
        config = RTDetrConfig(
            backbone_config=RTDetrResNetConfig(**layers, **channels, **stages),
            encoder_in_channels=[16, 32, 64],
            encoder_hidden_dim=32,
            encoder_ffn_dim=32,
            encoder_attention_heads=4,
            decoder_in_channels=[32, 32, 32],
            d_model=32,
            decoder_ffn_dim=32,
            decoder_layers=2,
            decoder_attention_heads=4,
            num_queries=20,
            num_denoising=0,
            num_labels=5,
        )
        self.model = RTDetrForObjectDetection(config)

    def forward(self, pixels):
        return self.model(pixels).logits


def rt_detr_whole():
    return WholeRtDetr(), (torch.rand(1, 3, 96, 96),)


def rt_detr_v2():
    from transformers import RTDetrV2Config

    config = RTDetrV2Config(d_model=32, decoder_n_levels=2, decoder_attention_heads=4)
    model, (queries, _, values) = attention_of("rt_detr_v2", config, **LEVELS)
    return model, (queries, torch.rand(2, 7, 1, 4), values)  # of boxes


def mask2former():
    return attention_of("mask2former", 32, 4, 2, 3, spatial_shapes_list=SIZES)


def oneformer():
    return attention_of("oneformer", 32, 4, 2, 3, **LEVELS)


class Mamba(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(tokens, use_cache=False, return_dict=False)[0]


def mamba():
    from transformers import MambaConfig, MambaModel

    config = MambaConfig(vocab_size=20, hidden_size=16, state_size=4, num_hidden_layers=2)
    return Mamba(MambaModel(config)), (torch.randint(0, 20, (2, 9)),)


class MmcvAttention(torch.nn.Module):
    def __init__(self):
        from mmcv.ops.multi_scale_deform_attn import MultiScaleDeformableAttention

        super().__init__()
        self.attention = MultiScaleDeformableAttention(32, 4, 2, 3, dropout=0.0, batch_first=True)

    def forward(self, queries, points, values):
        return self.attention(
            queries,
            value=values,
            reference_points=points,
            spatial_shapes=SHAPES,
            level_start_index=STARTS,
        )


def mmcv():
    # mmcv-lite has the Python of mmcv's ops, and not the compiled module that it imports.
    compiled = types.ModuleType("mmcv._ext")
    compiled.__getattr__ = lambda name: None
    sys.modules["mmcv._ext"] = compiled
    return MmcvAttention(), Attention.inputs()


def boxes(count):
    return torch.cat([torch.rand(count, 4) * 20 + 4, torch.randn(count, 1) * 90], 1)


class RotatedNms(torch.nn.Module):
    def forward(self, boxes, scores):
        return sys.modules["detectron2.layers.nms"].nms_rotated(boxes, scores, 0.3)


def detectron2_nms():
    importlib.import_module("detectron2.layers.nms")
    return RotatedNms(), (boxes(30), torch.rand(30))


def detectron2_roi_align():
    from detectron2.layers.roi_align_rotated import ROIAlignRotated

    rois = torch.cat([torch.zeros(5, 1), boxes(5)], 1)
    return ROIAlignRotated((3, 4), 0.5, 2), (torch.randn(1, 3, 16, 16), rois)


name, original, replacement, exporters = sys.argv[1:]
torch.manual_seed(0)
model, args = globals()[name]()
for parameter in model.parameters():  # a library may begin with zeros
    torch.nn.init.normal_(parameter, std=0.3)
model.eval()
with torch.no_grad():
    expected = model(*args)
for dynamo in [False, True] if exporters == "both" else [False]:
    with onnxop_runtime.replaced({original: replacement}), torch.no_grad():
        vision_ops.export(model, args, "m.onnx", dynamo=dynamo, domain="vision_ops", verbose=False)
    nodes = [n.op_type for n in onnx.load("m.onnx").graph.node if n.domain == "vision_ops"]
    session = vision_ops.session("m.onnx", require_native=True)
    feeds = {port.name: x.numpy() for port, x in zip(session.get_inputs(), args, strict=True)}
    (actual,) = session.run(None, feeds)
    torch.testing.assert_close(torch.from_numpy(actual), expected, rtol=1e-3, atol=1e-4)
    print(sorted(set(nodes)), f"{len(nodes)} nodes")
