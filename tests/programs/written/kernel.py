# Run by test_a_kernel_in_c of test_written.py.
import many_ops
import torch

rows, cache = torch.rand(2, 3), torch.zeros(4, 3)
assert many_ops.append_row(rows[0], cache, -1) is None
torch.ops.my_lib.append_row(rows[1], cache)
assert torch.equal(cache, torch.stack([rows[1], cache[1], cache[1], rows[0]])), cache
assert not cache[1:3].any()

zeros = torch.zeros(3)
columns = torch.zeros(3, 4).T  # not contiguous
many_ops.append_row(rows[0], columns, 1)
assert torch.equal(columns, torch.stack([zeros, rows[0], zeros, zeros]))
halves = torch.zeros(4, 3, dtype=torch.float16)  # a dtype that the kernel lacks
many_ops.append_row(rows[0].half(), halves, 3)
assert torch.equal(halves[3], rows[0].half())
before = cache.clone()
assert many_ops.append_row_functional(rows[0], cache, 2)[2].equal(rows[0])
assert torch.equal(cache, before)  # the functional form does not write to it
for wrong in (torch.zeros(4, 2), torch.zeros(4, 3).double(), torch.zeros(12)):
    try:
        many_ops.append_row(rows[0], wrong, 0)
    except RuntimeError as error:
        assert str(error).startswith("my_lib::append_row: "), error
    else:
        raise AssertionError(wrong.shape)
    assert not wrong.any()


class Decoder(torch.nn.Module):
    def forward(self, row, cache):
        many_ops.append_row(row, cache, 2)
        many_ops.append_row(2 * row, cache, 0)
        return cache.sum(0), cache


compiled = torch.compile(Decoder(), fullgraph=True, backend="aot_eager")
expected = Decoder()(rows[0], torch.zeros(4, 3))
cache = torch.zeros(4, 3)
assert all(map(torch.equal, compiled(rows[0], cache), expected)) and torch.equal(cache, expected[1])
for dynamo in (True, False):
    for domain in ("", "my_lib"):
        many_ops.export(
            Decoder().eval(),
            (rows[0], torch.zeros(4, 3)),
            "m.onnx",
            dynamo=dynamo,
            domain={"my_lib::append_row_functional": domain},
            verbose=False,
        )
        session = many_ops.session("m.onnx", require_native=bool(domain))
        feeds = dict(
            zip([port.name for port in session.get_inputs()], (rows[0], torch.zeros(4, 3)))
        )
        results = session.run(None, {name: tensor.numpy() for name, tensor in feeds.items()})
        for result, wanted in zip(results, expected, strict=True):
            assert torch.equal(torch.from_numpy(result), wanted), (dynamo, domain)
print("done")
