"""Models of transformers."""

from __future__ import annotations

import torch
import transformers as hf

from .sets import images, sets, signals, spread, tokens

REQUIREMENTS = ("transformers", "timm", "scipy")


class First(torch.nn.Module):
    """Returns the named results, or the first one."""

    def __init__(self, model, *names, **options):
        super().__init__()
        self.model, self.names, self.options = model, names, options

    def forward(self, *args):
        results = self.model(*args, **self.options)
        return tuple(results[name] for name in self.names) if self.names else results[0]


_TEXT = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}


def bert():
    return First(hf.BertModel(hf.BertConfig(**_TEXT))).eval(), tokens(10, 13)


def deberta():
    return First(hf.DebertaV2Model(hf.DebertaV2Config(**_TEXT))).eval(), tokens(10, 13)


def gpt2():
    config = hf.GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    return First(hf.GPT2LMHeadModel(config), use_cache=False).eval(), tokens(10, 13)


def llama():
    return First(hf.LlamaForCausalLM(hf.LlamaConfig(**_TEXT)), use_cache=False).eval(), tokens(
        10, 13
    )


def mixtral():
    config = hf.MixtralConfig(**_TEXT, num_key_value_heads=2, num_local_experts=4)
    return First(hf.MixtralForCausalLM(config), use_cache=False).eval(), tokens(10, 13)


def mamba():
    config = hf.MambaConfig(vocab_size=99, hidden_size=32, num_hidden_layers=2, state_size=8)
    return First(hf.MambaForCausalLM(config), use_cache=False).eval(), tokens(10, 13)


def longformer():
    config = hf.LongformerConfig(**_TEXT, attention_window=8)
    return First(hf.LongformerModel(config)).eval(), tokens(16, 24)


def reformer():
    config = hf.ReformerConfig(
        vocab_size=99,
        hidden_size=32,
        attention_head_size=8,
        num_attention_heads=4,
        feed_forward_size=64,
        attn_layers=["local", "lsh"],
        axial_pos_embds=False,
        max_position_embeddings=64,
        num_buckets=4,
        lsh_attn_chunk_length=8,
        local_attn_chunk_length=8,
        is_decoder=False,
    )
    return First(hf.ReformerModel(config)).eval(), tokens(16, 32)


def t5():
    config = hf.T5Config(vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)

    def pair(size: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randint(1, 99, (1, size)), torch.randint(1, 99, (1, size - 3))

    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = hf.T5ForConditionalGeneration(config)

        def forward(self, ids, decoder_ids):
            return self.model(input_ids=ids, decoder_input_ids=decoder_ids, use_cache=False).logits

    return Both().eval(), sets(pair, 10, 13)


def whisper():
    config = hf.WhisperConfig(
        vocab_size=99,
        d_model=32,
        encoder_layers=2,
        encoder_attention_heads=4,
        decoder_layers=1,
        decoder_attention_heads=4,
        decoder_ffn_dim=64,
        encoder_ffn_dim=64,
        num_mel_bins=16,
        max_source_positions=30,
        pad_token_id=0,
        decoder_start_token_id=1,
    )
    net = hf.WhisperModel(config).encoder
    return First(net).eval(), sets(lambda batch: torch.randn(batch, 16, 60), 2, 3)


def wav2vec2():
    config = hf.Wav2Vec2Config(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        conv_dim=(32,) * 7,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
    )
    return First(hf.Wav2Vec2Model(config)).eval(), signals(2000, 2800, 1)


def encodec():
    config = hf.EncodecConfig(
        num_filters=4, hidden_size=16, codebook_size=32, codebook_dim=16, num_lstm_layers=1
    )
    net = hf.EncodecModel(config)
    return First(net).eval(), signals(1920, 2560, 1, 1)


def vits():
    config = hf.VitsConfig(
        vocab_size=38,
        hidden_size=16,
        num_hidden_layers=1,
        ffn_dim=32,
        flow_size=16,
        spectrogram_bins=17,
        upsample_initial_channel=32,
        prior_encoder_num_flows=2,
        posterior_encoder_num_wavenet_layers=2,
        duration_predictor_num_flows=2,
        noise_scale=0.0,
        noise_scale_duration=0.0,
    )
    return First(hf.VitsModel(config)).eval(), tokens(10, 13, 38)


def autoformer():
    config = hf.AutoformerConfig(
        prediction_length=4,
        context_length=8,
        label_length=4,
        lags_sequence=[1, 2],
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        num_time_features=1,
        moving_average=3,
    )

    class Past(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = hf.AutoformerModel(config)

        def forward(self, past, past_time, future, future_time):
            return self.model(
                past_values=past,
                past_time_features=past_time,
                past_observed_mask=torch.ones_like(past),
                future_values=future,
                future_time_features=future_time,
            )[0]

    def series(batch: int) -> tuple[torch.Tensor, ...]:
        return (
            torch.randn(batch, 10),
            torch.randn(batch, 10, 1),
            torch.randn(batch, 4),
            torch.randn(batch, 4, 1),
        )

    return Past().eval(), sets(series, 2, 3)


def segformer():
    config = hf.SegformerConfig(
        hidden_sizes=[8, 16, 24, 32], decoder_hidden_size=16, depths=[1, 1, 1, 1]
    )
    return First(hf.SegformerForSemanticSegmentation(config)).eval(), images(64, 96)


def superpoint():
    net = hf.SuperPointForKeypointDetection(hf.SuperPointConfig())
    net = First(net, "keypoints", "scores", "descriptors").eval()
    return spread(net, images(64, 96))


def mask2former():
    config = hf.Mask2FormerConfig(
        hidden_dim=32,
        feature_size=32,
        mask_feature_size=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_feedforward_dim=32,
        dim_feedforward=32,
        num_attention_heads=2,
        num_queries=5,
        backbone_config=hf.SwinConfig(
            embed_dim=16, depths=[1, 1, 1, 1], num_heads=[1, 2, 2, 2],
            out_features=["stage1", "stage2", "stage3", "stage4"], image_size=64,
        ),
    )  # fmt: skip
    net = hf.Mask2FormerForUniversalSegmentation(config)
    return spread(First(net, "class_queries_logits", "masks_queries_logits").eval(), images(64, 96))


def rt_detr():
    config = hf.RTDetrConfig(
        d_model=32,
        encoder_hidden_dim=32,
        encoder_in_channels=[32, 48, 64],
        decoder_in_channels=[32, 32, 32],
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        decoder_layers=2,
        num_queries=10,
        num_denoising=0,
        anchor_image_size=None,
        backbone_config=hf.RTDetrResNetConfig(
            embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1],
            layer_type="basic", out_features=["stage2", "stage3", "stage4"],
        ),
    )  # fmt: skip
    net = hf.RTDetrForObjectDetection(config)
    return spread(First(net, "logits", "pred_boxes").eval(), images(64, 96))


def deformable_detr():
    config = hf.DeformableDetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=hf.ResNetConfig(
            embedding_size=16, hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1],
            layer_type="basic", out_features=["stage2", "stage3", "stage4"],
        ),
        d_model=32, encoder_layers=1, decoder_layers=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        encoder_attention_heads=2, decoder_attention_heads=2, num_queries=10, with_box_refine=True,
    )  # fmt: skip
    net = hf.DeformableDetrForObjectDetection(config)
    return spread(First(net, "logits", "pred_boxes").eval(), images(96, 128))


def qwen2_vl_tower():
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VisionTransformerPretrainedModel

    config = Qwen2VLVisionConfig(depth=2, embed_dim=32, hidden_size=32, num_heads=2, patch_size=4)

    class Tower(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = Qwen2VisionTransformerPretrainedModel(config)

        def forward(self, pixels, grid):
            return self.model(pixels, grid_thw=grid)[0]

    def patches(side: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(side * side, 3 * 2 * 4 * 4), torch.tensor([[1, side, side]])

    return Tower().eval(), sets(patches, 4, 6)


def clip():
    config = hf.CLIPVisionConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        image_size=32, patch_size=8,
    )  # fmt: skip
    net = First(hf.CLIPVisionModel(config))
    return net.eval(), sets(lambda batch: torch.rand(batch, 3, 32, 32), 2, 3)


def patch_tst():
    config = hf.PatchTSTConfig(
        context_length=32, patch_length=8, patch_stride=8, d_model=16, num_input_channels=2,
        num_hidden_layers=1, num_attention_heads=2, ffn_dim=32, prediction_length=4,
    )  # fmt: skip
    net = First(hf.PatchTSTForPrediction(config))
    return net.eval(), [(x,) for (x,) in sets(lambda batch: torch.randn(batch, 32, 2), 2, 3)]


def conformer():
    config = hf.Wav2Vec2ConformerConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
        conv_dim=(32,) * 7, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2,
        position_embeddings_type="relative",
    )  # fmt: skip
    net = hf.Wav2Vec2ConformerModel(config)
    return First(net).eval(), signals(2000, 2800, 1)


def bigbird():
    config = hf.BigBirdConfig(**_TEXT, block_size=4, num_random_blocks=1)
    return First(hf.BigBirdModel(config)).eval(), tokens(48, 56)


def timesformer():
    config = hf.TimesformerConfig(
        image_size=32, patch_size=8, num_frames=2, hidden_size=32, num_hidden_layers=1,
        num_attention_heads=2, intermediate_size=64,
    )  # fmt: skip
    net = First(hf.TimesformerModel(config))
    return net.eval(), sets(lambda batch: torch.rand(batch, 2, 3, 32, 32), 2, 3)


def features_of_sequences():
    config = hf.ASTConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_length=64, num_mel_bins=32,
    )  # fmt: skip
    return First(hf.ASTModel(config)).eval(), [
        (x,) for (x,) in sets(lambda batch: torch.randn(batch, 64, 32), 2, 3)
    ]
