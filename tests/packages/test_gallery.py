"""The gallery's rules on PyTorch's op database: a part of it here, all of it in poe everything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest

from onnxop.check.load import load
from onnxop.find import gallery, torchops
from onnxop.starter import guesses
from onnxop.trial import trial
from onnxop.trial.call import call_of_overload, together
from onnxop.trial.outcome import outcome
from onnxop_runtime import processes
from onnxop_runtime.registered import register_trusted
from tests import gallery_values
from tests.programs import PATH, program
from tests.tools import op_coverage
from tests.warm import Warm

# One of each kind: decomposed, elementwise, with lists, with omitted results, in loops, by sizes,
# of an overload, composed of operators that torch.export does not trace.
SOME = (
    "acosh rot90 logaddexp amax kthvalue lgamma linalg.lu_solve column_stack squeeze.multiple corrcoef "
    "nn.functional.ctc_loss"
).split()
DYNAMIC = (
    "linalg.slogdet lu_unpack linalg.svdvals matrix_exp nn.functional.adaptive_max_pool2d "
    "take_along_dim _chunk_cat"
).split()
MANY_DYNAMIC = (
    "linalg.inv linalg.qr linalg.tensorinv nn.functional.avg_pool2d nn.functional.channel_shuffle "
    "linalg.det linalg.cholesky linalg.solve_triangular linalg.lu linalg.lu_solve linalg.eigh linalg.vander "
    "linalg.multi_dot nn.functional.adaptive_avg_pool2d nn.functional.conv_transpose1d ormqr "
    "linalg.householder_product cov fft.ifftshift geqrf linalg.solve_ex linalg.ldl_factor_ex "
    "expand_copy view_copy split_with_sizes_copy sum_to_size grid_sampler_2d "
    "repeat_interleave nn.functional.bilinear nn.functional.conv3d"
).split()
"""Entries that are right with dynamic axes, too."""
ALL = "std_mean.unbiased addmm".split()
MANY_ALL = (
    "linalg.eigh masked.std var std.unbiased var_mean baddbmm nn.functional.unfold nn.functional.adaptive_max_pool3d linalg.qr "
    "linalg.lu_factor_ex linalg.solve cholesky_solve lu nn.functional.cosine_similarity addcmul cumsum flip "
    "floor_divide log10 masked_scatter max.reduction_with_dim min.reduction_with_dim permute softmax "
    "nn.functional.prelu nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d ormqr "
    "nn.functional.avg_pool3d linalg.householder_product geqrf linalg.ldl_solve linalg.lstsq histc scatter_add _segment_reduce.offsets "
    "nn.functional.one_hot nn.functional.nll_loss nn.functional.pixel_unshuffle"
).split()
"""Entries that are right over all samples, empty ones included."""
HOSTILE = (
    "amin cummax kthvalue lgamma logcumsumexp scatter_reduce.amax hypot heaviside signbit".split()
)
LEAST = {"dynamo": 590, "torchscript": 580}


CALLS = program("gallery/calls")
REFUSED = [
    (
        "export(torch.acosh, torch.ones(2), dynamo=False, opset_version=17)",
        (
            "the TorchScript exporter writes aten::acosh at opsets 18 to 23, not 17; use opset_version=18, "
            "or dynamo=True (opsets 18 to 25)"
        ),
    ),
    (
        (
            "export(torch.cross, torch.ones(2, 3), torch.ones(2, 3), dynamo=False, "
            'input_names=["tensors", "other"], dynamic_axes={"tensors": [0]})'
        ),
        (
            "aten::cross: the mapping computes with the size of dimension 0 of self, which is dynamic in the model; "
            "export it without that dynamic axis"
        ),
    ),
    (
        (
            "export(lambda x, y: torch.rot90(x, y.shape[0]), torch.ones(2, 3), torch.ones(3), dynamo=False, "
            'input_names=["tensors_0", "tensors_1"], dynamic_axes={"tensors_1": [0]})'
        ),
        (
            "aten::rot90 has no overload for the call: aten.rot90.default: an integer argument is dynamic; the "
            "TorchScript exporter needs a constant; give a number, or export with dynamo=True"
        ),
    ),
    *(
        (
            (
                f"export(lambda x: {call}, torch.ones({traced}), "
                'dynamic_shapes={"tensors": ({0: torch.export.Dim.DYNAMIC},)})'
            ),
            (
                f"torch.export traced the model where dynamic dimension 0 of tensors_0 is {traced}, but PyTorch "
                f"runs other operators where it is {other}; write it for any size, give "
                "torch.export.Dim.AUTO, or leave the dimension out of dynamic_shapes"
            ),
        )
        for call, traced, other in (
            ("x.split(2)", 5, 7),
            ("x.tensor_split(3)", 5, 6),
            ("x * 2.0 if x.shape[0] > 6 else x", 7, 6),
        )
    ),
    (
        (
            "export(lambda x: torch.native_group_norm(x, None, None, 0, 2, 1, 2, 1e-5), torch.ones(0, 2), "
            "dynamo=False)"
        ),
        (
            "aten::native_group_norm: the operator reshapes a tensor of sizes [0, 2], without elements, to [0, 2, "
            "-1], which ONNX cannot express; export it with a tensor that has elements"
        ),
    ),
]
NUMBERS = program("gallery/numbers")

CALLED = program("gallery/called")

INTEGERS = program("gallery/integers")


def measured(warm: Warm, folder: Path, *arguments: str) -> dict[str, dict[str, str]]:
    """Return the results of the gallery's rules, by exporter and entry."""
    script = ("-m", op_coverage.__name__, "--with", "gallery", "--results", folder)
    warm.checked(*script, *arguments, cwd=op_coverage.ROOT)
    tables = {file.stem: json.loads(file.read_text()) for file in folder.glob("*.json")}
    return {name.removeprefix("gallery-"): results for name, results in tables.items()}


def only(names: Iterable[str]) -> tuple[str, str]:
    return "--only", f"^({'|'.join(name.replace('.', '[.]') for name in names)})$"


def printed(code: str, warm: Warm, folder: Path, *arguments: str) -> list[str]:
    """Return what the code prints about the calls that it exports."""
    output = warm.checked("-W", "ignore", "-c", code, *arguments, cwd=folder, PYTHONPATH=PATH)
    return [line for line in output.splitlines() if "always_classified" not in line]


# One of each kind: elementwise, decomposed, composed, with lists, with several results, by sizes,
# in loops, of an overload, with numbers, without tensor arguments, with integers, of torchvision.
SPECS = (
    "acosh asinh kron column_stack linalg_lu rot90 cummax median_dim special_zeta bincount isin roi_pool"
).split()
OFTEN = "acosh column_stack cummax roi_pool".split()
FILES = sorted(file for folder in gallery.folders() for file in folder.glob("*.toml"))


def tier(name: str) -> list[pytest.MarkDecorator]:
    if name not in SPECS:
        return [pytest.mark.everything]
    return [] if name in OFTEN else [pytest.mark.nightly]


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=tier(file.stem), id=file.stem) for file in FILES],
)
def test_samples_of_the_gallery_export_right(file: Path) -> None:
    """Export all samples of a spec, registered with the specs that it requires, by both exporters;
    compare ONNX Runtime with PyTorch.
    """
    spec = load(file)
    key = next(op for op, origin in gallery.specs().items() if origin == file)
    rules = trial.Rules(specs=tuple(map(gallery.text, gallery.with_needed(key))))
    name = f"{spec.schema.namespace}::{spec.schema.name}"
    overload = getattr(torchops.packet(name), spec.schema.overload or "default")
    arguments = [guesses.arguments(spec.schema, sample) for sample in spec.samples]
    trial.warm_up_exporters()
    used = processes.run(partial(kept, rules))
    calls = [call_of_overload(overload, *guesses.split(overload, x), used=used) for x in arguments]
    call = together(calls)
    exporters = [*trial.EXPORTERS] if spec.mapping.dynamo else ["TorchScript"]
    works = [partial(trial.try_export, call, exporter, 20, rules) for exporter in exporters]
    for place, answer in processes.run_each(works):
        assert outcome(answer).is_right, (exporters[place], outcome(answer))


def kept(rules: trial.Rules) -> set[int] | None:
    """Return the indices of the first spec's results that its mapping has; None for all."""
    operator = register_trusted(rules.specs)[0]
    places = {operator.results.index(name) for name in operator.kept}
    return places if operator.left_out else None


def test_all_are_registered_once(warm: Warm, tmp_path: Path) -> None:
    """Check that no rule replaces another."""
    code = """
import onnxop_runtime.gallery
print(len(onnxop_runtime.gallery.OPERATORS), len(onnxop_runtime.translation_table()) > 150)
"""
    count = len([file for file in FILES if file.parent.name == "aten"])
    assert printed(code, warm, tmp_path)[-1] == f"{count} True"


@pytest.mark.nightly
def test_what_is_refused(warm: Warm, tmp_path: Path) -> None:
    """Check that both exporters print one sentence, which names the operator, and nothing else."""
    output = printed(CALLS + "\n".join(code for code, _ in REFUSED), warm, tmp_path)
    assert output == [why for _, why in REFUSED]


@pytest.mark.nightly
def test_numbers_beside_others(warm: Warm, tmp_path: Path) -> None:
    """Check numbers beside tensors: TorchScript converts a float64 to float32; dynamo, which
    decomposes these, takes numbers next to 0 for 0.
    """
    assert printed(NUMBERS, warm, tmp_path) == ["True"] * 3


@pytest.mark.nightly
def test_sizes_and_overloads(warm: Warm, tmp_path: Path) -> None:
    """Check known traps: PyTorch's rule of a copy does not broadcast; ONNX Runtime does not reduce
    an empty tensor; calls with strings or numbers are other overloads; functions stay exact near
    their zeros and poles; a rank-deficient matrix has no residuals.
    """
    output = printed(CALLED, warm, tmp_path)
    assert [line for line in output if line in ("True", "False")] == ["True"] * 32, output


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("step", "count"), [(4, 54), pytest.param(1, 86, marks=pytest.mark.everything)]
)
def test_integers_and_numbers(step: int, count: int, warm: Warm, tmp_path: Path) -> None:
    """Check integers: mappings are for floats; PyTorch converts integers to floats, and sums them
    as int64. Both exporters share this code, so the dynamo exporter, the slower one, writes a part
    of them.
    """
    output = printed(INTEGERS, warm, tmp_path, str(step))
    assert [line[:4] for line in output if line[:4] in ("True", "Fals")] == ["True"] * count, output


@pytest.mark.nightly
def test_some_of_the_op_database(warm: Warm, tmp_path: Path) -> None:
    for exporter, results in measured(warm, tmp_path, *only(SOME)).items():
        assert results == dict.fromkeys(SOME, "right"), exporter


@pytest.mark.nightly
@pytest.mark.parametrize("names", [ALL, pytest.param(MANY_ALL, marks=pytest.mark.everything)])
def test_some_are_right_over_all_samples(warm: Warm, tmp_path: Path, names: list[str]) -> None:
    for exporter, results in measured(warm, tmp_path, *only(names), "--samples", "0").items():
        assert results == dict.fromkeys(names, "right"), exporter


@pytest.mark.nightly
@pytest.mark.parametrize(
    "names", [DYNAMIC, pytest.param(MANY_DYNAMIC, marks=pytest.mark.everything)]
)
def test_some_have_dynamic_axes(warm: Warm, tmp_path: Path, names: list[str]) -> None:
    for exporter, results in measured(warm, tmp_path, *only(names), "--dynamic").items():
        assert results == dict.fromkeys(names, "right"), exporter


@pytest.mark.nightly
def test_nothing_is_wrong_in_silence_in_some(warm: Warm, tmp_path: Path) -> None:
    results = measured(warm, tmp_path, *only(HOSTILE), "--sweep", "--exporter", "torchscript")
    assert results == {"torchscript-sweep": dict.fromkeys(HOSTILE, "right")}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "options",
    [
        ("--step", "7"),
        ("--opset", "15", "scatter_add", "index_add of", "any of a d", "softplus", "of integers"),
        pytest.param((), marks=pytest.mark.everything),
        pytest.param(("--opset", "20", "--dynamo"), marks=pytest.mark.everything),
    ],
)
def test_values_that_were_wrong(warm: Warm, options: tuple[str, ...]) -> None:
    output = warm.checked("-m", gallery_values.__name__, *options, cwd=op_coverage.ROOT)
    assert output.splitlines()[-1] == "0 are not as they should be", output


@pytest.mark.everything
def test_no_fewer_operators_of_the_op_database_are_right(warm: Warm, tmp_path: Path) -> None:
    for exporter, results in measured(warm, tmp_path).items():
        assert sum(why == "right" for why in results.values()) >= LEAST[exporter]


@pytest.mark.everything
def test_nothing_is_wrong_in_silence(warm: Warm, tmp_path: Path) -> None:
    """Check every mapping over all float32 samples, hostile values, other dtypes, and
    dynamic axes.
    """
    [results] = measured(warm, tmp_path, "--sweep", "--exporter", "torchscript").values()
    silent = {
        n: why for n, why in results.items() if re.search(r"sample \d+: values: |^crash", why)
    }
    assert results and not silent


HALF = program("gallery/half")


@pytest.mark.nightly
def test_results_in_float16(warm: Warm, tmp_path: Path) -> None:
    """Check operators that PyTorch's exporter computes in float32, without a cast back."""
    result = warm.run("-W", "ignore", "-c", HALF, cwd=tmp_path)
    output = "[('a', True), ('b', True), ('c', True)]"
    assert result.stdout.splitlines()[-2:] == [output, output], result.stdout
