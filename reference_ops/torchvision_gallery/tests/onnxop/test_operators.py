"""The operators in PyTorch: contract, gradients, compilation, layouts, refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import torch
from engine import (
    Case,
    Refusal,
    Sample,
    cases,
    each_tensor,
    has_gradient,
    results_of,
    split,
    with_tensors,
)
from engine_models import first_line
from torch import Tensor
from torch.autograd import forward_ad

make_dual: Any = forward_ad.make_dual  # untyped in torch
unpack_dual: Any = forward_ad.unpack_dual
functional: Any = torch.autograd.functional

CASES = cases()
KERNELS = [case for case in CASES if case.autograd_function is not None]
ELEMENTWISE = [case for case in CASES if case.kind == "elementwise"]
DIFFERENTIABLE = [case for case in CASES if case.differentiable]
DIFFERENTIABLE_TWICE = [case for case in KERNELS if case.twice_differentiable]
ONCE = [
    case
    for case in KERNELS
    if case.operator.is_native and case.operator.differentiable and case.operator.reference is None
]
NO_DERIVATIVE = "no formula|non_differentiable|nothing differentiates"
OPCHECKS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)


def each_of(chosen: list[Case]) -> pytest.MarkDecorator:
    """Parametrizes by the cases; by none where there is no such case."""
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


def each_sample(chosen: list[Case]) -> pytest.MarkDecorator:
    pairs = [
        pytest.param(case, sample, id=f"{case.name}-{sample.name}")
        for case in chosen
        for sample in case.samples
    ]
    return pytest.mark.parametrize(("case", "sample"), pairs)


def each_face(chosen: list[Case]) -> pytest.MarkDecorator:
    pairs = [(case, face) for case in chosen for face in case.faces()]
    return pytest.mark.parametrize(
        ("case", "face"), pairs, ids=lambda value: value.name if isinstance(value, Case) else value
    )


def is_floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def floats_of(arguments: dict[str, Any], names: Collection[str]) -> dict[str, Tensor]:
    """The tensors of floats that these arguments are, or lists of them hold."""
    chosen = {name: value for name, value in arguments.items() if name in names}
    return {name: tensor for name, tensor in split(chosen)[0].items() if is_floating(tensor)}


def differentiable(
    case: Case, arguments: dict[str, Any], chosen: Collection[str] | None = None
) -> dict[str, Tensor]:
    """The tensors given that have gradients, or those of the chosen arguments: none where no result has."""
    found = floats_of(arguments, case.differentiable if chosen is None else chosen)
    return found if floating(case.function(**arguments)) else {}


def floating(found: Any) -> tuple[Tensor, ...]:
    """The results that have gradients."""
    return tuple(result for result in results_of(found) if is_floating(result))


def to_double(case: Case, arguments: dict[str, Any]) -> dict[str, Any]:
    is_composed = case.kind == "composed"
    floats = differentiable(case, arguments) if is_composed else floats_of(arguments, arguments)
    return with_tensors(arguments, {name: tensor.double() for name, tensor in floats.items()})


def differentiated(
    case: Case, sample: Sample, face: str, chosen: list[str]
) -> tuple[Any, list[Tensor]]:
    """The call as a function of those of the chosen arguments that are given, and these."""
    arguments = to_double(case, sample.arguments())
    given = differentiable(case, arguments, chosen)

    def call(*tensors: Tensor) -> Any:
        inputs = dict(zip(given, tensors, strict=True))
        results = case.faces()[face](**with_tensors(arguments, inputs))
        return floating(results) if case.has_several else results

    return call, [tensor.requires_grad_() for tensor in given.values()]


def dot(tensors: tuple[Tensor, ...], others: tuple[Tensor, ...]) -> Tensor:
    products = [(a * b).sum() for a, b in zip(tensors, others, strict=True)]
    return torch.stack(products).sum()


def reshaped(arguments: dict[str, Any], shape: tuple[int, ...]) -> dict[str, Any]:
    """The same call with every tensor of one shape."""
    return each_tensor(arguments, lambda tensor: torch.ones(shape, dtype=tensor.dtype))


def assert_same(found: Any, expected: Any) -> None:
    torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


def assert_close(case: Case, found: Any, expected: Any) -> None:
    """Same bits, but for PyTorch's own operators, which need not give the same in every layout."""
    if case.operator.is_native:
        assert_same(found, expected)
    else:
        torch.testing.assert_close(found, expected, equal_nan=True)


@each_sample(CASES)
def test_faces_agree(case: Case, sample: Sample) -> None:
    arguments = sample.arguments()
    expected = case.overload(**arguments)
    for face in case.faces().values():
        assert_same(face(**arguments), expected)


@each_sample(CASES)
def test_module_agrees(case: Case, sample: Sample) -> None:
    arguments = sample.arguments()
    scalars = {n: v for n, v in arguments.items() if n not in case.tensors}
    found = case.module(**scalars)(*(arguments.get(name) for name in case.tensors))
    assert_same(found, case.function(**arguments))


@each_sample([case for case in KERNELS if case.operator.existing])
def test_agrees_with_pytorch_s_own(case: Case, sample: Sample) -> None:
    arguments = sample.arguments()
    theirs = case.operator.overloads[-1](**arguments)
    for found, expected in zip(
        results_of(case.function(**arguments)), results_of(theirs), strict=True
    ):
        rtol, atol = {torch.float32: (1e-5, 1e-5)}.get(expected.dtype, (None, None))
        torch.testing.assert_close(found, expected, rtol=rtol, atol=atol, equal_nan=True)


@each_sample([case for case in DIFFERENTIABLE if case.operator.existing])
def test_gradients_agree_with_pytorch_s_own(case: Case, sample: Sample) -> None:
    arguments = to_double(case, sample.arguments())
    inputs = [each.requires_grad_() for each in differentiable(case, arguments).values()]
    if not inputs:
        pytest.skip("integers have no gradient")
    theirs = results_of(case.operator.overloads[-1](**arguments))
    if not has_gradient(theirs):
        pytest.skip("this release of PyTorch has no gradient of its own")
    pairs = [
        (mine, other)
        for mine, other in zip(results_of(case.function(**arguments)), theirs, strict=True)
        if other.requires_grad
    ]
    grads = [torch.rand_like(other) for _, other in pairs]
    expected = torch.autograd.grad([other for _, other in pairs], inputs, grads)
    found = torch.autograd.grad([mine for mine, _ in pairs], inputs, grads)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10, equal_nan=True)


@each_sample(KERNELS)
def test_strides_do_not_matter(case: Case, sample: Sample) -> None:
    arguments = sample.arguments()
    strided = each_tensor(arguments, lambda tensor: torch.stack([tensor] * 2, -1)[..., 0])
    assert_close(case, case.function(**strided), case.function(**arguments))


@each_sample(ELEMENTWISE)
def test_empty_and_zero_dim(case: Case, sample: Sample) -> None:
    for shape in [(0,), (2, 0, 3), ()]:
        assert case.function(**reshaped(sample.arguments(), shape)).shape == shape


@each_sample(KERNELS)
def test_opcheck(case: Case, sample: Sample) -> None:
    values = case.values(sample.arguments())
    for tensor in differentiable(case, values).values():
        tensor.requires_grad_()
    keywords = {a.name for a in case.operator.arguments if a.keyword_only}
    args = tuple(value for name, value in values.items() if name not in keywords)
    kwargs = {name: values[name] for name in keywords}
    first = results_of(case.overload(*args, **kwargs))[0]
    # The last compares gradients of a sum, which it makes in place: not of integers first.
    is_odd = case.has_several and bool(case.differentiable) and not is_floating(first)
    torch.library.opcheck(
        case.overload, args, kwargs, test_utils=OPCHECKS[:-1] if is_odd else OPCHECKS
    )


BOTH = pytest.mark.parametrize("face", ["torch.ops", "Function"])


@BOTH
@each_sample([case for case in DIFFERENTIABLE if case in KERNELS])
def test_gradients(case: Case, sample: Sample, face: str) -> None:
    call, inputs = differentiated(case, sample, face, case.differentiable)
    if not inputs:
        pytest.skip("integers have no gradient")
    fast = sum(tensor.numel() for tensor in inputs) > 100
    assert torch.autograd.gradcheck(call, inputs, fast_mode=fast)


@BOTH
@each_sample(DIFFERENTIABLE_TWICE)
def test_forward_mode_and_second_derivatives(case: Case, sample: Sample, face: str) -> None:
    call, inputs = differentiated(case, sample, face, case.twice_differentiable)
    if not inputs:
        pytest.skip("no such argument is given")
    fast = sum(tensor.numel() for tensor in inputs) > 100
    assert torch.autograd.gradcheck(call, inputs, fast_mode=fast, check_forward_ad=True)
    # Forward over reverse is tried below: gradcheck stumbles over gradients that are always zero.
    assert torch.autograd.gradgradcheck(call, inputs, fast_mode=fast)


@BOTH
@each_sample(DIFFERENTIABLE_TWICE)
def test_transforms_within_transforms(case: Case, sample: Sample, face: str) -> None:
    """What torch.func gives is what autograd gives."""
    call, leaves = differentiated(case, sample, face, case.twice_differentiable)
    if not leaves:
        pytest.skip("no such argument is given")
    inputs = tuple(tensor.detach() for tensor in leaves)
    tangents = tuple(torch.rand_like(tensor) for tensor in inputs)

    def energy(*tensors: Tensor) -> Tensor:
        return torch.stack([each.square().sum() for each in results_of(call(*tensors))]).sum()

    def along(*tensors: Tensor) -> Any:
        return torch.func.jvp(energy, tensors, tangents)[1]

    places = tuple(range(len(inputs)))
    slopes = functional.vjp(energy, inputs)[1]
    bends = functional.hvp(energy, inputs, tangents)[1]
    gradient = torch.func.grad(energy, places)
    close = partial(torch.testing.assert_close, equal_nan=True)
    close(gradient(*inputs), slopes)
    close(along(*inputs), dot(slopes, tangents))
    close(torch.func.jvp(gradient, inputs, tangents)[1], bends)
    close(torch.func.grad(along, places)(*inputs), bends)
    close(torch.func.jvp(along, inputs, tangents)[1], dot(bends, tangents))


@BOTH
@each_sample(ONCE)
def test_gradients_are_differentiated_once(case: Case, sample: Sample, face: str) -> None:
    """A gradient penalty says that it trains nothing."""
    call, inputs = differentiated(case, sample, face, case.differentiable)
    if not inputs:
        pytest.skip("integers have no gradient")
    total = torch.stack([result.sum() for result in results_of(call(*inputs))]).sum()
    expected = torch.autograd.grad(total, inputs, retain_graph=True)
    grads = torch.autograd.grad(total, inputs, create_graph=True)
    torch.testing.assert_close(grads, expected, rtol=0, atol=0)
    names = differentiable(case, sample.arguments())
    for name, grad in zip(names, grads, strict=True):
        if name in case.twice_differentiable:
            continue
        for tensor in inputs:
            with pytest.raises(NotImplementedError, match="nothing differentiates"):
                torch.autograd.grad(grad.sum(), tensor, retain_graph=True)


def without(sample: Sample, has_derivative: set[str]) -> list[str]:
    """The tensors of floats that are given, and have no derivative."""
    arguments = sample.arguments()
    return [*floats_of(arguments, arguments.keys() - has_derivative)]


EACH_CALL = pytest.mark.parametrize("face", ["function", "torch.ops", "Function"])


@EACH_CALL
@each_sample(KERNELS)
def test_no_tangent_is_lost(case: Case, sample: Sample, face: str) -> None:
    """What forward-mode AD cannot do, it says; integers and truth values have none."""
    names = without(sample, {*case.twice_differentiable, *case.operator.through_reference})
    if not names:
        pytest.skip("every tensor has derivatives")
    for name in names:
        arguments = sample.arguments()
        has_tangent = bool(floating(case.function(**arguments)))
        with forward_ad.dual_level():
            tensor = split(arguments)[0][name]
            arguments = with_tensors(arguments, {name: make_dual(tensor, torch.ones_like(tensor))})
            if has_tangent:
                with pytest.raises(NotImplementedError, match=NO_DERIVATIVE):
                    case.faces()[face](**arguments)
                continue
            for result in results_of(case.faces()[face](**arguments)):
                assert unpack_dual(result).tangent is None


@EACH_CALL
@each_sample(KERNELS)
def test_no_gradient_is_lost(case: Case, sample: Sample, face: str) -> None:
    """torch.func, where None is zeros, says what has no gradient."""
    names = without(sample, {*case.differentiable, *case.operator.through_reference})
    if not (names and floating(case.function(**sample.arguments()))):
        pytest.skip("every tensor has a gradient, or no result")
    for name in names:

        def total(tensor: Tensor, name: str = name) -> Tensor:
            results = case.faces()[face](**with_tensors(sample.arguments(), {name: tensor}))
            return torch.stack([result.sum() for result in floating(results)]).sum()

        with pytest.raises(NotImplementedError, match=NO_DERIVATIVE):
            torch.func.grad(total)(split(sample.arguments())[0][name])


@each_sample([case for case in KERNELS if case.operator.is_native])
def test_meta_device(case: Case, sample: Sample) -> None:
    """No values are needed, but for sizes that depend on them."""
    arguments = sample.arguments()
    meta = each_tensor(arguments, lambda tensor: tensor.to("meta"))
    if case.operator.infer is not None:
        described = case.operator.infer(*case.values(arguments).values())
        if any(None in sizes for _, sizes in described):
            with pytest.raises(RuntimeError, match="data-dependent"):
                case.function(**meta)
            return
    pairs = zip(
        results_of(case.function(**meta)), results_of(case.function(**arguments)), strict=True
    )
    for result, other in pairs:
        assert result.is_meta
        assert (result.shape, result.dtype) == (other.shape, other.dtype)


@each_sample([case for case in DIFFERENTIABLE if case.has_several])
def test_gradients_of_each_result(case: Case, sample: Sample) -> None:
    """Each alone, the others being left out, adds up to all together."""
    arguments = to_double(case, sample.arguments())
    inputs = [each.requires_grad_() for each in differentiable(case, arguments).values()]
    if not inputs:
        pytest.skip("integers have no gradient")
    for face in ("torch.ops", "Function"):
        outputs = case.faces()[face](**arguments)
        assert all(output.requires_grad == is_floating(output) for output in outputs)
        sums = [output.sum() for output in floating(outputs)]
        expected = torch.autograd.grad(sums, inputs, retain_graph=True)
        parts = [torch.autograd.grad([each], inputs, retain_graph=True) for each in sums]
        for each, wanted in zip(zip(*parts, strict=True), expected, strict=True):
            torch.testing.assert_close(torch.stack(each).sum(0), wanted)


@each_sample(DIFFERENTIABLE)
def test_gradients_where_wanted_only(case: Case, sample: Sample) -> None:
    for wanted in differentiable(case, sample.arguments()):
        arguments = sample.arguments()
        inputs = differentiable(case, arguments)
        inputs[wanted].requires_grad_()
        outputs = floating(case.function(**arguments))
        torch.autograd.backward([output.sum() for output in outputs])
        for name, tensor in inputs.items():
            assert (tensor.grad.shape if tensor.grad is not None else None) == (
                tensor.shape if name == wanted else None
            )


@each_sample(CASES)
def test_compiles_to_one_graph(case: Case, sample: Sample) -> None:
    try:
        compile_to_one_graph(case, sample, case.function)
    except Exception:
        if case in KERNELS:
            raise
        try:
            compile_to_one_graph(case, sample, case.overload)
        except Exception as error:  # noqa: BLE001 - whatever it is
            why = f"PyTorch {torch.__version__} does not compile its own: {first_line(error)}"
            pytest.skip(why)
        raise


def compile_to_one_graph(case: Case, sample: Sample, function: Any) -> None:
    torch.compiler.reset()  # it keeps count of how often it compiled the lambda
    compiled = torch.compile(
        lambda arguments: function(**arguments),
        fullgraph=True,
        dynamic=True,
        backend="aot_eager",
    )
    for larger in (False, True):
        arguments = sample.arguments(larger=larger)
        expected = case.function(**arguments)
        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            found = compiled(arguments)
        if case in KERNELS:
            assert_same(found, expected)
        else:
            torch.testing.assert_close(found, expected, equal_nan=True)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
@each_sample(CASES)
def test_scripted(case: Case, sample: Sample) -> None:
    """By TorchScript, which knows no Scalar that is a truth value."""
    arguments = sample.arguments()
    for argument in case.operator.arguments:
        if argument.kind == "number" and isinstance(arguments.get(argument.name), bool):
            arguments[argument.name] = int(arguments[argument.name])
    scripted: Any = torch.jit.script(case.function)
    assert_close(case, scripted(**arguments), case.function(**arguments))


REFUSALS = [
    pytest.param(case, face, refusal, id=f"{case.name}-{face}-{refusal.name}")
    for case in CASES
    for face in case.faces()
    for refusal in case.refusals
]


@pytest.mark.parametrize(("case", "face", "refusal"), REFUSALS)
def test_refusals(case: Case, face: str, refusal: Refusal) -> None:
    with pytest.raises(refusal.raises, match=refusal.match or None):
        case.faces()[face](**refusal.arguments())


SEVERAL_TENSORS = [case for case in ELEMENTWISE if len(case.tensors) > 1]


@each_face(SEVERAL_TENSORS)
def test_dtypes_must_agree(case: Case, face: str) -> None:
    arguments = reshaped(case.samples[0].arguments(), (2,))
    first = arguments[case.tensors[0]]
    other = torch.float32 if first.dtype == torch.float64 else torch.float64
    arguments[case.tensors[0]] = first.to(other)
    with pytest.raises(RuntimeError, match="must have the same dtype"):
        case.faces()[face](**arguments)


@each_face(SEVERAL_TENSORS)
def test_devices_must_agree(case: Case, face: str) -> None:
    arguments = reshaped(case.samples[0].arguments(), (2,))
    arguments[case.tensors[0]] = arguments[case.tensors[0]].to("meta")
    with pytest.raises(RuntimeError, match="device|CPU"):
        case.faces()[face](**arguments)


@each_of(ELEMENTWISE)
def test_unsupported_dtype_is_refused_by_the_kernel(case: Case) -> None:
    arguments = reshaped(case.samples[0].arguments(), (2,))
    arguments = each_tensor(arguments, lambda tensor: tensor.to(torch.complex64))
    with pytest.raises(RuntimeError, match=str(case.operator)):
        case.operator.kernel(**arguments)


@each_face(CASES)
def test_something_else_than_a_tensor_is_refused(case: Case, face: str) -> None:
    if (case.kind, face) == ("composed", "kernel"):
        pytest.skip("a composed kernel alone is plain Python")
    arguments = {**case.samples[0].arguments(), case.tensors[0]: "text"}
    with pytest.raises((TypeError, RuntimeError), match=case.tensors[0]):
        case.faces()[face](**arguments)


@each_face(KERNELS)
def test_integers_beyond_64_bits_are_refused(case: Case, face: str) -> None:
    integers = [a for a in case.operator.arguments if a.kind in ("int", "number")]
    if face == "torch.ops" or (case.kind, face) == ("composed", "kernel"):
        pytest.skip("PyTorch's own words")
    for argument in integers:
        far: Any = [2**64] if argument.is_list else 2**64
        arguments = {**case.samples[0].arguments(), argument.name: far}
        with pytest.raises((OverflowError, TypeError), match=f"{argument.name} .* -2\\*\\*63 to"):
            case.faces()[face](**arguments)


@each_of(CASES)
def test_threads_agree(case: Case) -> None:
    arguments = case.samples[0].arguments()
    expected = case.function(**arguments)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(case.function, **arguments) for _ in range(32)]
        for future in futures:
            assert_same(future.result(), expected)


TWICE = """
import importlib, sys, package
importlib.reload(package)
for name in [name for name in sys.modules if name.split(".")[0] == "package"]:
    del sys.modules[name]
import package
"""
IN_THREADS = """
import threading
threads = [threading.Thread(target=__import__, args=["package"]) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
import package
"""


@pytest.mark.parametrize("code", [TWICE, IN_THREADS], ids=["twice", "in threads"])
def test_import(code: str) -> None:
    code = code.replace("package", CASES[0].package.__name__)
    # PyTorch up to 2.13 says that a second import takes over from the first.
    warnings = ["-W", "error", "-W", "ignore:Warning only once for all operators:UserWarning"]
    command = [sys.executable, *warnings, "-c", f"{code}\nprint('done')"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
