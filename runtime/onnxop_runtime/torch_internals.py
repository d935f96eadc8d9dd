"""The private names of PyTorch and onnxscript that the runtime and onnxop use.

A release may remove them. They are used in this module only; `NAMES` says what happens without
each. One test checks the table against the installed PyTorch, another that no other module uses
private names.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
import traceback
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType, SimpleNamespace
from typing import Any

import torch
from torch.autograd import forward_ad as _forward_ad
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .imports import after_import

NAMES = {
    # Dispatcher
    "torch._C: DispatchKey DispatchKeySet _dispatch_keys _after_autograd_keyset": "needed",
    "torch._C: _dispatch_has_kernel_for_dispatch_key _len_torch_dispatch_stack": "needed",
    "torch._C: _ExcludeDispatchKeyGuard": "needed for autocast",
    "torch._C: _dispatch_tls_set_dispatch_key_excluded": "needed",
    "torch._C: _dispatch_tls_is_dispatch_key_excluded": "needed",
    "torch._C: _dispatch_find_schema_or_throw _dispatch_get_all_op_names": "needed by register",
    "torch._C: _jit_get_all_schemas _jit_get_schemas_for_operator": "needed by the generator",
    "torch._ops: OpOverload OpOverloadPacket HigherOrderOperator": "needed by scan",
    "torch.utils: _pytree": "needed",
    # Derivatives and transforms
    "torch._C: _AutoDispatchBelowAutograd _are_functorch_transforms_active": "needed",
    "torch._C: _any_requires_grad": "needed",
    "torch._C._functorch: is_functorch_wrapped_tensor get_unwrapped": "needed for jvp under vmap",
    "torch._functorch.utils: enable_single_level_autograd_function": "needed",
    "torch._functorch.autograd_function: custom_function_call_vmap_helper": "needed for vmap",
    "torch._functorch.pyfunctorch: retrieve_current_functorch_interpreter": "needed for vmap",
    "torch: _unpack_dual": "needed; forward_ad.unpack_dual() takes four times as long",
    "torch.autograd.function: _SingleLevelFunction": "needed",
    "torch.autograd.forward_ad: _current_level _set_fwd_grad_enabled": "needed",
    # Tracing
    "torch._C: _VariableFunctions _nn _fft _linalg _special _is_tracing": "needed by scan",
    "torch.jit._trace: TracerWarning": "needed by scan",
    "torch._functorch: predispatch": "scan then finds no calls inside torch.vmap",
    "torch.fx.experimental.sym_node.SymNode: guard_int": "needed by scan",
    "torch._dynamo.exc: UserError UserErrorType": "needed by scan",
    "torch.fx.proxy.TracerBase: _filter_traceback_frames": "scan then names lines of forward alone",
    "torch.fx.experimental: _config": "TorchScript's exports know no sizes beside a dynamic 1",
    "torch.nn.modules.batchnorm: _NormBase": "needed by scan",
    "torch.nn.modules.dropout: _DropoutNd": "needed by scan",
    "torch._C: _get_tracing_state _get_value_trace _set_value_trace": "needed for torch.jit.trace",
    "torch._guards: TracingContext": "needed by composed kernels of existing operators",
    "torch._decomp: register_decomposition": "needed by new operators that are decomposed",
    "torch._inductor.decomposition: decompositions fast_random_decomps": "needed by torch.compile",
    "torch._subclasses.fake_tensor: FakeTensorMode DynamicOutputShapeException": "needed",
    "torch.utils._python_dispatch: TorchDispatchMode": "needed by the check of dynamic shapes",
    "torch._prims_common: is_contiguous_or_false": "needed",
    "torch._C._dynamo: eval_frame": "frames of the runtime are then compiled",
    # TorchScript
    "torch.jit: _builtins _state": "functions are then not scripted",
    "torch._C: _jit_script_compile _parse_source_def": "functions are then not scripted",
    "torch._jit_internal: _qualified_name": "functions are then not scripted",
    # The exporters
    "torch._C: Value TensorType OptionalType parse_schema": "needed by the TorchScript exporter",
    "torch._C: _jit_is_onnx_log_enabled _jit_set_onnx_log_enabled": "graphs are then printed",
    "torch.onnx._internal.torchscript_exporter: registration": "needed by that exporter",
    "torch.onnx.symbolic_helper: _maybe_get_const _is_none _is_constant": "needed by that exporter",
    "torch.onnx.symbolic_helper: _is_packed_list _parse_arg _unpack_list": "needed by that exporter",
    "torch.onnx._internal.exporter._compat: export_compat": "torch.onnx.export is then replaced, "
    "and has no rules where a module has imported it by name before",
    "torch.onnx._internal.torchscript_exporter.utils: export": "nodes then have no function bodies",
    "torch.ops.aten.gru.input: _dispatch_cache": "an RNN may then fail if its model was traced before",
    # onnxscript's optimizer
    "onnxscript.rewriter: _DEFAULT_REWRITE_RULES": "the optimizer then drops small numbers",
    # Tests
    "torch._dynamo: config": "needed by tests of packages",
    "torch._export.utils: _materialize_cpp_cia_ops": "tests of packages then take longer",
    "torch.onnx._internal.exporter: _registration": "tests of packages then take longer",
    "torch._ops: Callable": "needed by tests of packages",
    "torch.library: _defs": "operators that tests register are then found late",
}
"""The names by module, and what happens without them; all exist since PyTorch 2.10."""

_C: Any = torch._C

# ---- Dispatcher ----

DispatchKey = _C.DispatchKey
DispatchKeySet = _C.DispatchKeySet
dispatch_keys = _C._dispatch_keys
has_kernel_for = _C._dispatch_has_kernel_for_dispatch_key
keys_after_autograd = _C._after_autograd_keyset


def backends_of_plain_calls(devices: Iterable[str]) -> dict[int, Any]:
    """Return the dispatch key of each device's kernel, by the keys of a call with plain tensors on
    the device, as a number.
    """
    keys = dict[int, Any]()
    for name in (device.upper() for device in devices):
        backend = DispatchKeySet(getattr(DispatchKey, name))
        autograd = DispatchKeySet(getattr(DispatchKey, f"Autograd{name}"))
        keys[(backend | autograd).raw_repr()] = backend
    return keys


ExcludeKeys = _C._ExcludeDispatchKeyGuard
all_schemas = _C._jit_get_all_schemas
schemas_of = _C._jit_get_schemas_for_operator
"""Return the schemas of an operator's overloads by its name."""
all_operators = _C._dispatch_get_all_op_names
OpOverload = torch._ops.OpOverload
HigherOrderOperator: Any = torch._ops.HigherOrderOperator
dispatch_modes = _C._len_torch_dispatch_stack
"""Return the number of active ``__torch_dispatch__`` modes."""
pytree: Any = _pytree


def is_dispatched(name: str, overload: str) -> bool:
    """Return whether the dispatcher has an operator, which may be one of TorchScript alone."""
    try:
        _C._dispatch_find_schema_or_throw(name, overload)
    except RuntimeError:
        return False
    return True


_LIST_AS_NUMBER = re.compile(r"(\b(?:int|SymInt)\[\] \w+=)(-?\d+)")
"""The default of a list of equal integers of any length, ``int[] size=2`` for ``[2, 2]``, which
PyTorch prints but does not parse.
"""


def parse_schema(text: str) -> torch.FunctionSchema:
    """Parse a schema that PyTorch has printed; a list of equal integers becomes one of a single
    item.
    """
    schema: torch.FunctionSchema = _C.parse_schema(_LIST_AS_NUMBER.sub(r"\1[\2]", text))
    return schema


def schema_text(schema: torch.FunctionSchema) -> str:
    """Return a schema as text that PyTorch parses."""
    defaults: dict[str, Any] = {
        argument.name: argument.default_value for argument in schema.arguments
    }

    def list_of(match: re.Match[str]) -> str:
        name = match[1].rpartition(" ")[2].removesuffix("=")
        return f"{match[1]}{[*defaults[name]]}"

    return _LIST_AS_NUMBER.sub(list_of, str(schema))


def schema_of(overload: OpOverload) -> torch.FunctionSchema:
    """Return the schema of an ``OpOverload``."""
    return overload._schema


def overload_of(function: object) -> OpOverload | None:
    """Return the overload that a function of ``torch.ops`` calls: the function itself, or the only
    one of its name; None for other functions.
    """
    if isinstance(function, torch._ops.OpOverloadPacket):
        packet: Any = function  # its methods are untyped
        names = packet.overloads()
        function = getattr(packet, names[0]) if len(names) == 1 else None
    return function if isinstance(function, OpOverload) else None


def name_of(overload: OpOverload) -> str:
    """Return the name of an ``OpOverload``, without ``.default``."""
    name: Any = overload.name
    return str(name())


def kernel_of(overload: OpOverload, key: Any) -> Callable[..., Any]:
    """Return an operator's kernel for a dispatch key."""
    return functools.partial(overload._op_dk, key)


def direct_call(overload: OpOverload) -> Any:
    """Return the function that ``OpOverload.__call__`` calls."""
    return overload._op


def direct_redispatch(overload: OpOverload) -> Any:
    """Return the function that ``OpOverload.redispatch`` calls."""
    return overload._handle.redispatch_boxed


# ---- Derivatives and transforms ----

below_autograd = _C._AutoDispatchBelowAutograd
AUTOGRAD = DispatchKey.AutogradFunctionality
"""The part of all Autograd keys that `exclude` and `is_excluded` take."""
exclude: Any = _C._dispatch_tls_set_dispatch_key_excluded
is_excluded: Any = _C._dispatch_tls_is_dispatch_key_excluded
any_requires_grad = _C._any_requires_grad
are_transforms_active = _C._are_functorch_transforms_active
unpack_dual: Any = torch._unpack_dual
SingleLevelFunction: Any = torch.autograd.function._SingleLevelFunction
set_forward_grad_enabled: Any = _forward_ad._set_fwd_grad_enabled


def forward_level() -> int:
    """Return the level of forward-mode AD, negative if it is off."""
    return _forward_ad._current_level


def single_level_functions() -> AbstractContextManager[None]:
    """Return a context in which ``SingleLevelFunction.apply`` works."""
    from torch._functorch.utils import enable_single_level_autograd_function

    return enable_single_level_autograd_function()


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor inside the wrappers of torch.func's transforms."""
    functorch = _C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def call_batched(rule: Any, overload: OpOverload, *args: Any, **kwargs: Any) -> object:
    """Call a batching rule as `torch.library.register_vmap` would, but with tensors by keyword."""
    from torch._functorch.autograd_function import custom_function_call_vmap_helper
    from torch._functorch.pyfunctorch import retrieve_current_functorch_interpreter

    interpreter: Any = retrieve_current_functorch_interpreter()
    return custom_function_call_vmap_helper(interpreter, rule, overload, *args, **kwargs)


# ---- Tracing ----

DispatchMode: Any = TorchDispatchMode
tracing_state = _C._get_tracing_state
is_tracing = _C._is_tracing
get_value_trace: Any = _C._get_value_trace
set_value_trace: Any = _C._set_value_trace


def is_given_to_trace(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is an input or a buffer of the module that torch.jit.trace traces."""
    kind: str = _C._get_value_trace(tensor).node().kind()
    return kind in ("prim::Param", "prim::GetAttr")


def depends_on_others(tensor: torch.Tensor, state: Iterable[torch.Tensor]) -> bool:
    """Return whether torch.jit.trace has computed a tensor of other inputs of its graph than these
    tensors.
    """
    seen = {_C._get_value_trace(each).unique() for each in state}
    values = [_C._get_value_trace(tensor)]
    for value in values:
        if value.unique() in seen:
            continue
        seen.add(value.unique())
        if value.node().kind() == "prim::Param" and isinstance(value.type(), TensorType):
            return True
        values.extend(value.node().inputs())
    return False


TracerWarning: Any = torch.jit._trace.TracerWarning
VMAP = "torch._functorch.predispatch"
"""The module of the functions that an exported program calls for torch.vmap."""


def function_of(name: str) -> object:
    """Return PyTorch's function in Python for an operator's name, or None."""
    modules = _C._VariableFunctions, _C._nn, _C._fft, _C._linalg, _C._special, torch.Tensor
    return next((f for module in modules if (f := getattr(module, name, None))), None)


@contextmanager
def at_guards(callback: Callable[[Any], None]) -> Iterator[None]:
    """Call ``callback`` with each symbolic size of which torch.export needs the value."""
    from torch.fx.experimental.sym_node import SymNode

    hooks: Any = SymNode
    original = hooks.guard_int

    def guard_int(node: object, *location: object) -> object:
        callback(node)
        return original(node, *location)

    hooks.guard_int = guard_int
    try:
        yield
    finally:
        hooks.guard_int = original


def frames_of_dynamo() -> list[tuple[str, int]]:
    """Return the file and line of the frames that Dynamo traces by their bytecode, as torch.export
    does with ``strict=True``, the outermost first; none if it does not trace.
    """
    from torch._guards import TracingContext

    return [(frame.filename, frame.lineno or 0) for frame in TracingContext.extract_stack()]


@contextmanager
def whole_stacks(is_kept: Callable[[str], bool]) -> Iterator[None]:
    """Let torch.export note the frames of all functions of the files that ``is_kept`` takes, from
    the model's ``forward`` on, as the stack trace of a node. By default it notes those that are
    called ``forward`` alone.
    """
    from torch.fx.proxy import TracerBase

    tracers: Any = TracerBase
    original = getattr(tracers, "_filter_traceback_frames", None)
    if original is None:
        yield
        return

    def filter_frames(tracer: object, frames: traceback.StackSummary) -> traceback.StackSummary:
        inner = itertools.dropwhile(lambda frame: frame.name != "forward", frames)
        kept = [frame for frame in inner if is_kept(frame.filename)]
        return traceback.StackSummary.from_list(kept) if kept else original(tracer, frames)

    tracers._filter_traceback_frames = filter_frames
    try:
        yield
    finally:
        tracers._filter_traceback_frames = original


def sizes_of_one_are_dynamic() -> AbstractContextManager[object]:
    """Return a context in which torch.export takes a dynamic size whose example is 1 as any other.
    By default it makes it a constant, and refuses the dynamic dimension.
    """
    try:
        from torch.fx.experimental import _config
    except ImportError:
        return nullcontext()
    options: Any = _config
    return options.patch(backed_size_oblivious=True)  # type: ignore[no-any-return]


def is_constraint_of_model(error: BaseException) -> bool:
    """Return whether torch.export has traced a model, which then does not allow its
    ``dynamic_shapes``.
    """
    from torch._dynamo.exc import UserError, UserErrorType

    if not isinstance(error, UserError):
        return False
    return error.error_type is UserErrorType.CONSTRAINT_VIOLATION


def has_modes(module: object) -> bool:
    """Return whether the results of one of PyTorch's modules depend on the training mode."""
    modules: Any = torch.nn.modules
    return isinstance(module, (modules.batchnorm._NormBase, modules.dropout._DropoutNd))


def decompose_by(overload: OpOverload, function: Callable[..., object]) -> None:
    """Have the dynamo exporter decompose an operator into the PyTorch operators that a function
    calls.
    """
    from torch._decomp import register_decomposition

    register_decomposition(overload)(function)


def is_contiguous_or_false(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is contiguous; False if its sizes are unknown."""
    from torch._prims_common import is_contiguous_or_false as is_contiguous

    return is_contiguous(tensor)


def is_tracing_compile() -> bool:
    """Return whether torch.compile is tracing, not an exporter."""
    from torch._guards import TracingContext

    return TracingContext.try_get() is not None and not torch.compiler.is_exporting()


def run_while_traced(function: Callable[[], bool]) -> Callable[[], bool]:
    """Have torch.compile, and torch.export with strict=True, run a function as they trace a call of
    it. So does `torch.compiler.assume_constant_result`, which imports torch._dynamo first.
    """
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def decompose_in_inductor(
    overload: OpOverload, decomposition: Callable[..., object], version: str
) -> None:
    """Have Inductor trace ``decomposition`` in place of an operator; where it returns
    NotImplemented, the operator stays. ``version`` goes into the keys of Inductor's cache on disk,
    which otherwise name the operator only, and would find the code of an earlier decomposition.
    """
    from torch._inductor import decomposition as inductor

    inductor.decompositions[overload] = decomposition
    inductor.fast_random_decomps()[overload] = decomposition  # a copy, which Inductor uses
    config = torch.compiler.config
    config.cache_key_tag = f"{config.cache_key_tag} {overload}={version}".strip()


def leave_uncompiled(function: Callable[..., object]) -> None:
    """Exclude from torch.compile a function that PyTorch calls from C++, and all functions that it
    calls. After a graph break, dynamo would compile them without the transforms and backward passes
    around them. Graphs being traced are not affected; the mark is on the code object and does not
    slow down calls.
    """
    dynamo = _C._dynamo.eval_frame
    if mark := getattr(dynamo, "set_code_exec_strategy", None):
        skipped = dynamo._FrameAction.SKIP
        mark(function.__code__, dynamo._FrameExecStrategy(skipped, skipped))


# ---- TorchScript ----


@contextmanager
def scripted_as(call: object, original: object) -> Iterator[None]:
    """Have TorchScript take a function for one of PyTorch's own, if that is an operator to it, in
    the functions that it compiles meanwhile.
    """
    builtins: Any = torch.jit._builtins
    operator = builtins._find_builtin(original)
    if operator is None:
        yield
        return
    table = builtins._get_builtin_table()
    table[id(call)] = operator
    try:
        yield
    finally:
        del table[id(call)]


def script(call: Any, target: str, prepare: Callable[[], Any]) -> None:
    """Have TorchScript call an operator instead of a function; ``prepare`` makes what it
    scripts.
    """
    torch.jit._builtins._register_builtin(call, target)  # type: ignore[no-untyped-call,unused-ignore]
    call.__prepare_scriptable__ = prepare


def scripted(call: object, source: str, names: dict[str, Any], defaults: dict[str, Any]) -> object:
    """Have TorchScript compile this source for ``call``, once; return ``call``."""
    state: Any = torch.jit._state
    if state._try_get_jit_cached_function(call) is None:
        name = torch._jit_internal._qualified_name(call)  # type: ignore[no-untyped-call,unused-ignore]
        parsed = _C._parse_source_def(source)
        compiled = _C._jit_script_compile(name, parsed, names.get, defaults)
        state._set_jit_function_cache(call, compiled)
    return call


# ---- The exporters ----

Value = _C.Value
TensorType = _C.TensorType
OptionalType = _C.OptionalType
is_onnx_log_enabled = _C._jit_is_onnx_log_enabled
set_onnx_log_enabled = _C._jit_set_onnx_log_enabled


_helper: Any = torch.onnx.symbolic_helper
symbolic_helper = SimpleNamespace(
    constant_of=_helper._maybe_get_const,
    is_none=_helper._is_none,
    is_constant=_helper._is_constant,
    is_packed_list=_helper._is_packed_list,
    parse=_helper._parse_arg,
    unpack=_helper._unpack_list,
)
"""Functions of the TorchScript exporter."""


_UNNAMED = re.compile(r"(?:onnx::[A-Za-z]\w*_)?(\d+)")


def place_in_trace(name: str) -> int | None:
    """Return the place of an input without a name among the tensors and numbers that the
    TorchScript exporter traces: it calls the second ``onnx::Add_1`` if an Add reads it first. None
    for a name.
    """
    unnamed = _UNNAMED.fullmatch(name)
    return int(unnamed[1]) if unnamed else None


def scripted_inputs(model: Any) -> list[str]:
    """Return the names that the TorchScript exporter gives the inputs of a model of
    ``torch.jit``.
    """
    names = [value.debugName() for value in model.graph.inputs()]
    return names[1:] if isinstance(model, torch.jit.ScriptModule) else names  # without self


class Symbolics:
    """The TorchScript exporter's rules by name and opset version."""

    def __init__(self) -> None:
        from torch.onnx._internal.torchscript_exporter import registration

        self._registry: Any = registration.registry

    def overriding(self, target: str, opset: int) -> Callable[..., Any] | None:
        """Return the rule that overrides PyTorch's."""
        functions = self._functions(target)
        is_overridden = functions is not None and functions.overridden(opset)
        return functions[opset] if is_overridden else None

    def stock(self, target: str, opset: int) -> Callable[..., Any] | None:
        """Return PyTorch's rule."""
        functions = self._functions(target)
        versions = [key for key in functions._base if key <= opset] if functions is not None else []
        return functions._base[max(versions)] if versions else None

    def forget_empty(self, target: str) -> None:
        """Remove a name without rules, for which PyTorch would raise a ValueError."""
        functions = self._functions(target)
        if functions is not None and not functions:
            getattr(self._registry, "_registry", {}).pop(target, None)

    def _functions(self, target: str) -> Any:
        group: Any = self._registry.get_function_group(target)
        return None if group is None else group._functions


def translated_node() -> torch.fx.Node | None:
    """Return the node that the dynamo exporter translates by a caller of this function; None if it
    is unknown.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        node = frame.f_locals.get("node")
        if isinstance(node, torch.fx.Node):
            return node
        frame = frame.f_back
    return None


def wrap_exporters(*, dynamo: Callable[..., Any], torchscript: Callable[..., Any]) -> None:
    """Have `torch.onnx.export` call ``dynamo(stock, model, args, f, **options)`` in place of its
    dynamo exporter ``stock``, and ``torchscript`` likewise, however the caller has imported
    `torch.onnx.export`.
    """
    from torch.onnx._internal.torchscript_exporter import utils

    legacy: Any = utils
    if hasattr(legacy, "export"):
        legacy.export = _wrapped(legacy.export, torchscript)

    def wrap(compat: object) -> None:
        public: Any = torch.onnx
        if hasattr(compat, "export_compat"):
            compat.export_compat = _wrapped(compat.export_compat, dynamo)
        else:
            public.export = _wrapped(public.export, _only_for_dynamo(dynamo))

    # Its import takes half a second, so the first export does it.
    after_import("torch.onnx._internal.exporter._compat", wrap)


INTERNAL_OPTIONS = ("legacy_export_kwargs",)
"""What PyTorch 2.10 adds to the arguments of `torch.onnx.export` before its dynamo exporter gets
them.
"""


def _wrapped(stock: Callable[..., Any], around: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(stock)
    def export(*args: object, **kwargs: object) -> object:
        return around(stock, *args, **kwargs)

    return export


def _only_for_dynamo(around: Callable[..., Any]) -> Callable[..., Any]:
    """Return a wrapper of `torch.onnx.export` that leaves the TorchScript exporter alone."""

    def export(
        stock: Callable[..., Any], *args: object, dynamo: bool = True, **options: object
    ) -> object:
        stock = functools.partial(stock, dynamo=dynamo)
        return around(stock, *args, **options) if dynamo else stock(*args, **options)

    return export


def dynamic_output(overload: OpOverload) -> Exception:
    """Return the error that a fake kernel raises if its sizes depend on values."""
    from torch._subclasses.fake_tensor import DynamicOutputShapeException

    return DynamicOutputShapeException(overload)


def is_of_fakes(value: object) -> bool:
    """Return whether this is a fake tensor, or the error of one because results depend on
    values.
    """
    module: object = type(value).__module__
    return isinstance(module, str) and module.startswith("torch._subclasses.")


def fake_mode(**options: Any) -> Any:
    """Return a mode in which tensors have no values."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode(**options)


def is_view(tensor: torch.Tensor) -> bool:
    """Return whether the tensor shows elements of another."""
    return tensor._base is not None


def modifications_of(tensor: torch.Tensor) -> int:
    """Return how many times a tensor, or what it is a view of, has been modified."""
    return tensor._version


def fake_mode_with_sizes() -> tuple[Any, Callable[..., torch.SymInt]]:
    """Return a mode in which tensors have no values, and what fake kernels call as
    ``new_dynamic_size`` in it.
    """
    from torch._library.fake_impl import FakeImplCtx
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    mode = fake_mode(shape_env=ShapeEnv())
    context: Any = FakeImplCtx  # untyped in torch
    return mode, context(mode, None).new_dynamic_size


# ---- onnxscript's optimizer ----


@functools.cache
def make_optimizer_exact() -> None:
    """Have the optimizer of the dynamo exporter treat only 0 as 0 and only 1 as 1, in this process.
    By default it drops additions of numbers within 1e-8 of 0 and multiplications by numbers within
    1e-5 of 1, so that ``log(x + 1e-9)`` becomes infinite at 0.
    """
    from onnxscript import rewriter

    for rule in getattr(rewriter, "_DEFAULT_REWRITE_RULES", ()):
        for node in getattr(getattr(rule, "_target_pattern", None), "_nodes", None) or ():
            for value in node.inputs:
                for name in ("_rel_tol", "_abs_tol"):
                    if hasattr(value, name):
                        setattr(value, name, 0.0)


def renew_rnns() -> None:
    """Let torch.onnx.export replace the decompositions of RNNs, as it does for dynamic sizes:
    PyTorch 2.15 keeps those of an earlier trace.
    """
    for operator in (torch.ops.aten.gru.input, torch.ops.aten.lstm.input):
        getattr(operator, "_dispatch_cache", {}).clear()


# ---- Tests ----


def capturing_dynamic_outputs() -> AbstractContextManager[None]:
    """Return a context in which torch.compile traces sizes that depend on values."""
    from torch._dynamo import config

    patch: Any = config.patch  # type: ignore[attr-defined,unused-ignore]
    context: AbstractContextManager[None] = patch(capture_dynamic_output_shape_ops=True)
    return context


@functools.cache
def cache_exporter_tables() -> None:
    """Cache tables that the dynamo exporter builds for each model, which takes most of the time for
    a small one: onnxscript's functions, their signatures, and the composite operators. With a
    release that has them elsewhere, exports are only slower.
    """
    from torch._export import utils
    from torch.onnx._internal.exporter import _registration

    modules: Any = {
        "get_torchlib_ops": getattr(_registration, "onnxscript_apis", None),
        "op_signature_from_function": getattr(_registration, "_schemas", None),
    }
    for name, module in modules.items():
        if hasattr(module, name):
            setattr(module, name, functools.cache(getattr(module, name)))
    composites: Any = utils
    if hasattr(composites, "_materialize_cpp_cia_ops"):
        materialize = composites._materialize_cpp_cia_ops
        cached = functools.cache(lambda registered: materialize())
        composites._materialize_cpp_cia_ops = lambda: cached(  # anew after a registration
            (len(torch.ops.loaded_libraries), len(getattr(torch.library, "_defs", ())))
        )
    # Annotations, which it evaluates twice for each composite operator: typing's are cached.
    operators: Any = torch._ops
    operators.Callable = typing.Callable
