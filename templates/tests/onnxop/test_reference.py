"""The operators against their references in PyTorch's own operators: values, gradients, transforms,
and where the references compute in place of the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
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
    merged,
    results_of,
    split,
    with_tensors,
)
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

make_dual: Any = forward_ad.make_dual  # untyped in torch
unpack_dual: Any = forward_ad.unpack_dual
jacrev: Any = torch.func.jacrev
jacfwd: Any = torch.func.jacfwd

CASES = [case for case in cases() if case.autograd_function is not None]
NATIVE = [case for case in CASES if case.operator.is_native]
REFERRED = [case for case in CASES if case.operator.has_reference]
ELEMENTWISE = [case for case in CASES if case.kind == "elementwise"]
CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)


def each_of(chosen: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


def each_sample(chosen: list[Case]) -> pytest.MarkDecorator:
    pairs = [
        pytest.param(case, sample, id=f"{case.name}-{sample.name}")
        for case in chosen
        for sample in case.samples
    ]
    return pytest.mark.parametrize(("case", "sample"), pairs)


def is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_complex()


def reference_of(case: Case) -> Callable[..., Any]:
    reference = case.reference
    assert reference is not None
    return reference


def assert_close(found: Any, expected: Any) -> None:
    for one, other in zip(results_of(found), results_of(expected), strict=True):
        is_single = one.dtype == torch.float32
        bounds = {"rtol": 1e-5, "atol": 1e-5} if is_single else {"rtol": None, "atol": None}
        torch.testing.assert_close(one, other, equal_nan=True, **bounds)


def of_random_shapes(sample: Sample, dtype: torch.dtype, draw: Random) -> dict[str, Any]:
    """The sample's call with tensors of shapes that broadcast, in any order of dimensions; their
    values are the sample's.
    """
    whole = [draw.randint(0, 5) for _ in range(draw.randint(0, 4))]

    def change(tensor: Tensor) -> Tensor:
        shape = [size if draw.random() < 0.7 else 1 for size in whole[draw.randint(0, 1) :]]
        count = torch.Size(shape).numel()
        values = tensor.flatten()
        values = values.repeat(count)[:count] if values.numel() else torch.ones(count)
        values = values.roll(draw.randint(0, 9)).to(dtype).reshape(shape)
        order = draw.sample(range(len(shape)), len(shape))
        return (
            values.permute(order).contiguous().permute([order.index(d) for d in range(len(order))])
        )

    return each_tensor(sample.arguments(), change)


@each_sample([case for case in NATIVE if case in REFERRED])
def test_kernel_gives_what_the_reference_gives(case: Case, sample: Sample) -> None:
    for larger in (False, True):
        arguments = sample.arguments(larger=larger)
        expected = reference_of(case)(**arguments)
        assert_close(case.function(**arguments), expected)
        strided = each_tensor(arguments, lambda tensor: torch.stack([tensor] * 2, -1)[..., 0])
        assert_close(case.function(**strided), expected)


@each_sample(ELEMENTWISE)
def test_every_dtype_and_shape(case: Case, sample: Sample) -> None:
    draw = Random(sample.name)
    given = sample.arguments()
    scalars = [case.values(given)[name] for name in case.operator.integers]
    has_float = any(isinstance(value, float) for value in (*given.values(), *scalars))
    for dtype in case.operator.dtypes:
        for _ in range(0 if has_float and not dtype.is_floating_point else 10):
            arguments = of_random_shapes(sample, dtype, draw)
            expected = reference_of(case)(**arguments)
            found = case.function(**arguments)
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            assert_close(found, expected)


@each_sample([case for case in ELEMENTWISE if case in REFERRED])
def test_complex_gradients_are_the_reference_s(case: Case, sample: Sample) -> None:
    """A spec's formulas are those of real numbers."""
    given = sample.arguments()
    given |= {n: v.to(torch.complex64) + 0.5j for n, v in given.items() if is_float(v)}
    tensors = [given[name] for name in case.differentiable if is_complex(given.get(name))]
    for tensor in tensors:
        tensor.requires_grad_()
    try:
        expected = reference_of(case)(**given)
    except (RuntimeError, TypeError) as error:
        with pytest.raises(type(error)):  # PyTorch has none of complex tensors
            case.function(**given)
        return
    if not (tensors and expected.is_complex()):
        return
    assert case.autograd_function is not None
    by_position = case.autograd_function.apply(*case.operator.values((), given))
    weights = torch.randn_like(expected)
    wanted = torch.autograd.grad(expected, tensors, weights, materialize_grads=True)
    for result in (case.function(**given), by_position):
        found = torch.autograd.grad(result, tensors, weights, materialize_grads=True)
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other, equal_nan=True)


@each_sample(REFERRED)
def test_gradients_are_the_reference_s(case: Case, sample: Sample) -> None:
    names = [*case.differentiable, *case.operator.through_reference]
    sampled = sample.arguments()
    if case.operator.is_native:
        sampled = each_tensor(
            sampled, lambda tensor: tensor.double() if is_float(tensor) else tensor
        )
    chosen = {name: value for name, value in sampled.items() if name in names}
    tensors, _ = split(chosen)
    inputs = {name: each.requires_grad_() for name, each in tensors.items() if is_float(each)}
    if not inputs:
        pytest.skip("no such argument is given")
    if not has_gradient(reference_of(case)(**sampled)):
        pytest.skip("this release of PyTorch has no gradient of its own")
    expected = gradients(reference_of(case), sampled, inputs)
    for call in (case.function, case.overload, case.through_function):
        for found, wanted in zip(gradients(call, sampled, inputs), expected, strict=True):
            says = torch.isfinite(wanted)  # where() has NaN of what it has not taken
            assert_close(found[says], wanted[says])


def gradients(
    call: Callable[..., Any], arguments: dict[str, Any], inputs: dict[str, Tensor]
) -> tuple[Tensor, ...]:
    results = [result for result in results_of(call(**arguments)) if result.requires_grad]
    if not results:
        return tuple(torch.zeros_like(tensor) for tensor in inputs.values())
    weights = [torch.linspace(0.5, 2, r.numel()).to(r.dtype).reshape(r.shape) for r in results]
    found = torch.autograd.grad(results, [*inputs.values()], weights, materialize_grads=True)
    return tuple(found)


def of_floats(case: Case) -> tuple[dict[str, Callable[..., Any]], tuple[Tensor, ...]]:
    """The ways to call an elementwise operator, and its reference, as functions of its tensors."""
    arguments = each_tensor(case.samples[0].arguments(), lambda _: torch.randn(2, 3).double())
    tensors, scalars = split(arguments)
    names = [*tensors]
    module = case.module(**scalars)
    calls = {
        "function": case.function,
        "torch.ops": case.overload,
        "Function": case.through_function,
        "reference": reference_of(case),
    }
    bound = {name: bind(call, names, scalars) for name, call in calls.items()}
    return bound | {"module": module}, tuple(tensors.values())


def bind(
    call: Callable[..., Any], names: Iterable[str], scalars: dict[str, Any]
) -> Callable[..., Any]:
    return lambda *tensors: call(**merged(dict(zip(names, tensors, strict=True)), scalars))


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "vmap": lambda f, *x: torch.vmap(f)(*x),
    "vmap of vmap": lambda f, *x: torch.vmap(torch.vmap(f), in_dims=1)(*x),
    "vjp": lambda f, *x: torch.func.vjp(f, *x)[1](torch.ones_like(x[0])),
    "jvp": lambda f, *x: torch.func.jvp(f, x, x),
    "grad of vmap": lambda f, *x: torch.func.grad(energy(torch.vmap(f)), places(x))(*x),
    "vmap of grad": lambda f, *x: torch.vmap(torch.func.grad(energy(f), places(x)))(*x),
    "jacrev": lambda f, *x: jacrev(f, places(x))(*x),
    "jacfwd": lambda f, *x: jacfwd(f, places(x))(*x),
    "hessian": lambda f, *x: torch.func.hessian(energy(f), places(x))(*x),
    "dual": lambda f, *x: dual(f, *x),
    "compiled": lambda f, *x: torch.compile(dual, backend="eager")(f, *x),
}


def energy(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *tensors: function(*tensors).square().sum()


def places(tensors: tuple[Tensor, ...]) -> tuple[int, ...]:
    return tuple(range(len(tensors)))


def dual(function: Callable[..., Any], *tensors: Tensor) -> Any:
    with forward_ad.dual_level():
        return unpack_dual(function(*(make_dual(each, each + 1) for each in tensors))).tangent


@pytest.mark.parametrize("transform", TRANSFORMS)
@each_of(
    [
        case
        for case in ELEMENTWISE
        if {*case.tensors} <= {*case.twice_differentiable, *case.operator.through_reference}
    ]
)
def test_transforms_are_the_reference_s(case: Case, transform: str) -> None:
    calls, tensors = of_floats(case)
    apply = TRANSFORMS[transform]
    try:
        expected = apply(calls.pop("reference"), *tensors)
    except (RuntimeError, NotImplementedError) as error:
        pytest.skip(f"the reference has none: {error}")
    for name, call in calls.items():
        torch.compiler.reset()
        leaves = pytree.tree_leaves(apply(call, *tensors)), pytree.tree_leaves(expected)
        for found, wanted in zip(*leaves, strict=True):
            zeros = torch.zeros_like(tensors[0])  # of which a tangent may be None
            found, wanted = (zeros if each is None else each for each in (found, wanted))
            says = torch.isfinite(wanted)
            assert name and torch.allclose(found[says], wanted[says]), name


@each_sample(CASES)
def test_vmap_is_a_loop(case: Case, sample: Sample) -> None:
    first, scalars = split(sample.arguments())
    second, _ = split(sample.arguments())
    call = bind(case.function, first, scalars)
    try:
        items = [results_of(call(*each.values())) for each in (first, second)]
        expected = [torch.stack(column) for column in zip(*items, strict=True)]
    except RuntimeError:  # their sizes differ
        pytest.skip("items of a batch are of one size")
    pairs = zip(first.values(), second.values(), strict=True)
    batches = [torch.stack(pair, -1) for pair in pairs]
    try:
        found = torch.vmap(call, in_dims=-1)(*batches)
    except RuntimeError as error:
        assert case.kind == "composed", error  # of which PyTorch batches what it can
        pytest.skip(f"PyTorch does not batch it: {error}")
    for one, other in zip(results_of(found), expected, strict=True):
        torch.testing.assert_close(one, other, equal_nan=True)


@each_sample([case for case in CASES if case.kind == "source"])
def test_vmap_compiles(case: Case, sample: Sample) -> None:
    """With sizes that are open, to one graph."""
    arguments = sample.arguments()
    described = case.operator.infer(*case.values(arguments).values())
    if any(None in sizes for _, sizes in described):
        pytest.skip("the sizes of the results depend on values")
    tensors, scalars = split(arguments)
    batches = [torch.stack([tensor] * 3) for tensor in tensors.values()]
    batched = torch.vmap(bind(case.function, tensors, scalars))
    torch.compiler.reset()
    compiled = torch.compile(batched, fullgraph=True, dynamic=True, backend="aot_eager")
    torch.testing.assert_close(compiled(*batches), batched(*batches), equal_nan=True)


REFUSALS = [
    pytest.param(case, refusal, id=f"{case.name}-{refusal.name}")
    for case in CASES
    if case.kind == "source"
    for refusal in case.refusals
]


@pytest.mark.parametrize(("case", "refusal"), REFUSALS)
def test_refusals_under_vmap(case: Case, refusal: Refusal) -> None:
    """What computes batches refuses what the kernel does."""
    tensors, scalars = split(refusal.arguments())
    if not tensors:
        pytest.skip("nothing makes a batch")
    batches = [torch.stack([tensor] * 2) for tensor in tensors.values()]
    with pytest.raises(refusal.raises, match=refusal.match or None):
        torch.vmap(bind(case.function, tensors, scalars))(*batches)


@pytest.mark.parametrize(("case", "refusal"), REFUSALS)
def test_refusals_on_other_devices(case: Case, refusal: Refusal) -> None:
    """The reference refuses what the kernel does, of dtypes that the kernel has."""
    values = list(case.values(refusal.arguments()).values())
    tensors, _ = split(refusal.arguments())
    dtypes = {tensor.dtype for tensor in tensors.values()}
    if case not in REFERRED or not dtypes <= case.operator.computed_dtypes:
        pytest.skip("nothing but the kernel refuses it")
    args, kwargs = case.operator.split(values)
    with pytest.raises(refusal.raises, match=refusal.match or None):
        case.overload.redispatch(CUDA, *args, **kwargs)


@each_of(CASES)
def test_other_devices(case: Case) -> None:
    """What a tensor on another device comes to, with tensors that this machine has."""
    key = torch._C.DispatchKey.CUDA
    assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(str(case.operator), key.name)
    arguments = case.samples[0].arguments()
    args, kwargs = case.operator.split(list(case.values(arguments).values()))
    if case in REFERRED:
        found = case.overload.redispatch(CUDA, *args, **kwargs)
        assert_close(found, case.function(**arguments))
    else:
        with pytest.raises(NotImplementedError, match="write python"):
            case.overload.redispatch(CUDA, *args, **kwargs)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.int16])
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
@each_of([case for case in REFERRED if case.operator.is_native])
def test_other_dtypes(case: Case, mode: Any, dtype: torch.dtype) -> None:
    """The reference computes with them, or refuses them in PyTorch's words."""
    if dtype in case.operator.dtypes:
        pytest.skip("the kernel computes with it")
    arguments = each_tensor(case.samples[0].arguments(), lambda tensor: tensor.to(dtype))
    with mode():
        try:
            expected = reference_of(case)(**arguments)
        except (RuntimeError, TypeError) as error:
            with pytest.raises(type(error)):
                case.function(**arguments)
        else:
            assert_close(case.function(**arguments), expected)


class Wrapped(torch.Tensor):
    """A tensor around another, which knows nothing but PyTorch's own operators."""

    @staticmethod
    def __new__(cls, tensor: Tensor) -> Any:
        make: Any = torch.Tensor._make_wrapper_subclass  # type: ignore[attr-defined,unused-ignore]
        return make(cls, tensor.shape, dtype=tensor.dtype, strides=tensor.stride())

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @classmethod
    def __torch_dispatch__(  # type: ignore[override,unused-ignore]
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        assert func.namespace in ("aten", "prims"), func
        args, kwargs = pytree.tree_map_only(Wrapped, lambda each: each.tensor, (args, kwargs or {}))
        return pytree.tree_map_only(Tensor, Wrapped, func(*args, **kwargs))


@each_of([case for case in REFERRED if case.operator.reference is not None])
def test_subclasses(case: Case) -> None:
    if case.operator.fake is not None:
        pytest.skip("it asks for values")
    arguments = case.samples[0].arguments()
    wrapped = each_tensor(arguments, Wrapped)
    results: Any = results_of(case.function(**wrapped))
    found = tuple(each.tensor for each in results)
    assert_close(found, results_of(case.function(**arguments)))


@each_of(CASES)
def test_autocast_casts_to_one_dtype(case: Case) -> None:
    arguments = case.samples[0].arguments()
    tensors, _ = split(arguments)
    floats = {name: tensor for name, tensor in tensors.items() if is_float(tensor)}
    if not floats or any(tensor.dtype != torch.float32 for tensor in floats.values()):
        pytest.skip("for tensors of float32")
    first, tensor = next(iter(floats.items()))
    halved = with_tensors(arguments, {first: tensor.bfloat16()})
    rounded = with_tensors(arguments, {first: tensor.bfloat16().float()})
    if len(floats) > 1:
        with torch.autocast("cpu", torch.bfloat16):
            found = case.function(**halved)
        if case.operator.autocast != "lower":
            assert_close(found, case.function(**rounded))


@pytest.mark.parametrize("order", [(0, 2, 3, 1), (3, 1, 0, 2)], ids=["channels last", "another"])
@each_of(ELEMENTWISE)
def test_memory_format_is_kept(case: Case, order: tuple[int, ...]) -> None:
    shape = [(2, 3, 4, 5)[dimension] for dimension in order]
    values = torch.linspace(0.1, 2, 120).reshape(shape)
    values = values.permute([order.index(dimension) for dimension in range(4)])
    arguments = each_tensor(case.samples[0].arguments(), lambda tensor: values.to(tensor.dtype))
    found = case.function(**arguments)
    assert found.stride() == values.stride()
    assert_close(found, case.function(**each_tensor(arguments, torch.Tensor.contiguous)))
    meta = each_tensor(arguments, lambda tensor: tensor.to("meta"))
    assert case.function(**meta).stride() == values.stride()
