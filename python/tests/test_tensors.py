"""Tensors go to a device and come back as they were, and the operations around programs do what they say."""

import numpy as np
import pytest

import tileproof
import tileproof.ttnn as ttnn

SHAPES = [(32, 32), (1, 1, 33, 65), (3, 5, 7), (100,)]
LAYOUTS = [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT]


def bits(kind, shape, seed=0):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, shape, dtype=np.uint64).astype(np.uint32)
    return {"float32": lambda: words.view(np.float32), "int32": lambda: words.view(np.int32), "uint16": lambda: words.astype(np.uint16)}[kind]()


@pytest.mark.parametrize("kind", ["float32", "int32", "uint16"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=["tile", "row_major"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_bit_comes_back(device, kind, layout, shape):
    x = bits(kind, shape)
    back = ttnn.to_numpy(ttnn.from_numpy(x, layout=layout, device=device))
    assert back.dtype == x.dtype and back.shape == x.shape and back.tobytes() == x.tobytes()


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("memory", [ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG], ids=["dram", "l1"])
def test_what_the_host_wrote_is_defined_also_where_every_bit_is_1(device, kind, memory):
    x = np.full((32, 64), np.iinfo(np.uint64).max, np.uint64).astype(kind)
    there = ttnn.from_numpy(x, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory)
    assert ttnn.to_numpy(there).tobytes() == x.tobytes()
    empty = ttnn.empty_like(there)
    with pytest.raises(RuntimeError, match="never written"):
        ttnn.to_numpy(empty)
    ttnn.copy(there, empty)
    assert ttnn.to_numpy(empty).tobytes() == x.tobytes()


@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "u2", "u1", "i8"])
def test_arrays_of_either_order_of_bytes_have_their_values(device, kind):
    values = np.arange(64 * 32).reshape(64, 32) % 200
    for order in "<>":
        there = ttnn.from_numpy(values.astype(order + kind), layout=ttnn.TILE_LAYOUT, device=device)
        assert np.array_equal(ttnn.to_numpy(there), values)


def test_torch_tensors_come_back_in_every_bit(device):
    torch = pytest.importorskip("torch")
    halves = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16).view(torch.bfloat16).reshape(1, 256, 256)
    for layout in LAYOUTS:
        back = ttnn.to_torch(ttnn.from_torch(halves, layout=layout, device=device))
        assert back.dtype == torch.bfloat16 and torch.equal(back.view(torch.int16), halves.view(torch.int16))
    with pytest.raises(TypeError, match="list"):
        ttnn.from_torch([[1.0]])
    with pytest.raises(RuntimeError, match="complex64"):
        ttnn.from_torch(torch.zeros(2, dtype=torch.complex64))


def test_float32_is_rounded_to_the_nearest_even_bfloat16(device):
    x = np.array([[1.0, 1.00390625, 1.01171875, -1e-40, 3.4e38]], dtype=np.float32)
    there = ttnn.from_numpy(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    assert [hex(word) for word in there._get().reshape(-1)] == ["0x3f80", "0x3f80", "0x3f82", "0x8001", "0x7f80"]


def test_facts_of_a_tensor(device):
    x = ttnn.from_numpy(np.zeros((2, 50, 70), np.float32), layout=ttnn.TILE_LAYOUT, device=device)
    assert (x.shape, x.padded_shape, x.buffer_num_pages(), x.buffer_page_size()) == ((2, 50, 70), (2, 64, 96), 12, 4096)
    row = ttnn.to_layout(x, ttnn.ROW_MAJOR_LAYOUT)
    assert (row.buffer_num_pages(), row.buffer_page_size(), row.buffer_aligned_page_size()) == (100, 280, 288)
    assert ttnn.from_device(x).storage_type() is ttnn.StorageType.HOST
    assert x.element_size() == 4 and x.logical_volume() == 7000 and x.volume() == 2 * 64 * 96


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_alignments_are_those_of_the_chip(arch):
    with tileproof.settings(arch=arch):
        device = ttnn.open_device(device_id=0)
        assert (ttnn.get_dram_alignment(), ttnn.get_l1_alignment()) == ({"wormhole": 32, "blackhole": 64}[arch], 16)
        row = ttnn.from_numpy(np.zeros((1, 4), np.float32), device=device)
        assert row.buffer_aligned_page_size() == ttnn.get_dram_alignment()


@pytest.mark.parametrize("strategy", list(ttnn.ShardStrategy), ids=str)
@pytest.mark.parametrize("orientation", list(ttnn.ShardOrientation), ids=str)
def test_shards_hold_what_the_tensor_held(device, strategy, orientation):
    x = ttnn.from_numpy(bits("float32", (1, 1, 128, 128)), layout=ttnn.TILE_LAYOUT, device=device)
    grid = {"HEIGHT": (1, 4), "WIDTH": (1, 2), "BLOCK": (2, 2)}[strategy.name]
    config = ttnn.create_sharded_memory_config((1, 1, 128, 128), ttnn.CoreGrid(y=grid[0], x=grid[1]), strategy, orientation)
    moved = ttnn.to_memory_config(x, config)
    assert moved.is_sharded() and moved.memory_config() == config
    assert ttnn.to_numpy(moved).tobytes() == ttnn.to_numpy(x).tobytes()
    assert (moved + moved).memory_config() == config
    assert not ttnn.sum(moved, dim=-1).is_sharded()


def test_operations_move_or_say_that_they_are_float64(device):
    rng = np.random.default_rng(1)
    a, b = (rng.normal(0, 1, (2, 40, 64)).astype(np.float32) for _ in range(2))
    ta, tb = (ttnn.from_numpy(v, layout=ttnn.TILE_LAYOUT, device=device) for v in (a, b))
    total = ta + tb
    assert not total.tileproof.exact and np.array_equal(ttnn.to_numpy(total), (a.astype(np.float64) + b).astype(np.float32))
    assert np.allclose(ttnn.to_numpy(2 * ta / (tb * tb + 1)), 2 * a / (b * b + 1), rtol=1e-6)
    moved = ttnn.permute(ttnn.concat([ta, tb], dim=-1), (2, 0, 1))
    assert moved.tileproof.exact and np.array_equal(ttnn.to_numpy(moved), np.concatenate([a, b], -1).transpose(2, 0, 1))
    assert np.allclose(ttnn.to_numpy(ttnn.softmax(ta, dim=1)).sum(1), 1, atol=1e-6)
    assert np.allclose(ttnn.to_numpy(ttnn.matmul(ta, ttnn.transpose(tb, 1, 2))), a @ b.transpose(0, 2, 1), atol=1e-4)
    assert ttnn.to_numpy(ttnn.mean(ta, dim=-1)).shape == (2, 40)
    assert np.array_equal(ttnn.to_numpy(ta[0, 3:5]), a[0, 3:5])
    assert np.array_equal(ttnn.to_numpy(ttnn.where(ttnn.gt(ta, 0.0), ta, 0.0)), np.where(a > 0, a, 0))


def test_operations_take_a_tensor_without_dimensions(device):
    from tileproof.ttnn.elementwise import COMPARISONS, FUNCTIONS, PAIRS

    x = ttnn.from_numpy(np.array(0.5, np.float32), layout=ttnn.TILE_LAYOUT, device=device)
    for name in FUNCTIONS:
        assert getattr(ttnn, name)(x).shape == (), name
    for name in [*PAIRS, *COMPARISONS]:
        assert getattr(ttnn, name)(x, x, activations=["gelu"]).shape == (), name
    assert ttnn.gelu(x).item() == pytest.approx(0.5 * 0.6914625) and ttnn.erf(x).item() == pytest.approx(0.5204999)


def test_what_comes_of_float64_stays_that_wherever_it_is_moved(device):
    values = np.linspace(-3, 3, 64 * 32, dtype=np.float32).reshape(64, 32)
    x = ttnn.from_numpy(values, layout=ttnn.TILE_LAYOUT, device=device)
    half, of_float64 = ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device), x + 1.0
    host, there = ttnn.from_device(of_float64), ttnn.empty_like(x)
    L1, ones = ttnn.L1_MEMORY_CONFIG, ttnn.ones_like(x)
    for tensor in [
        ttnn.where(ones, of_float64, 0.0),
        ttnn.where(ttnn.gt(x, 0.0), x, 0.0),
        ttnn.where(ones, half, x),
        ttnn.typecast(of_float64, ttnn.float32),
        ttnn.typecast(x, ttnn.bfloat16),
        ttnn.typecast(x, ttnn.int32),
        ttnn.typecast(half, ttnn.bfloat8_b),
        ttnn.to_layout(x, ttnn.TILE_LAYOUT, ttnn.bfloat16),
        ttnn.to_memory_config(x, L1, ttnn.bfloat16),
        ttnn.clone(x, dtype=ttnn.bfloat16),
        ttnn.concat([x, of_float64]),
        ttnn.to_device(host, device),
        ttnn.to_dtype(host, ttnn.bfloat16),
        ttnn.copy(of_float64, there),
        there,
    ]:
        assert not tensor.tileproof.exact, tensor
    small = ttnn.typecast(half, ttnn.float32)
    for tensor in [
        small,
        ttnn.where(ones, x, 0.0),
        ttnn.where(ones, x, half),
        ttnn.concat([x, x]),
        ttnn.to_memory_config(half, L1, ttnn.float32),
        ttnn.to_dtype(ttnn.from_device(x), ttnn.bfloat16),
        ttnn.to_device(ttnn.from_device(x), device),
        ttnn.copy(x, there),
        there,
    ]:
        assert tensor.tileproof.exact, tensor
    assert np.array_equal(ttnn.to_numpy(there), values)


def test_tensors_of_values_and_their_text():
    x = ttnn.Tensor([0.0, 1.0, -2.5, 3.0], [2, 2], ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)
    want = "ttnn.Tensor([[ 0.0000,  1.0000],\n             [-2.5000,  3.0000]], shape=Shape([2, 2]), dtype=DataType::FLOAT32, layout=Layout::ROW_MAJOR)"
    assert repr(x) == want
    assert ttnn.Tensor([1.6, -0.7], [2], ttnn.int32, ttnn.ROW_MAJOR_LAYOUT).to_list() == [1, 0]
    assert x.to(ttnn.TILE_LAYOUT).padded_shape == (32, 32) and x[1].to_list() == [-2.5, 3.0]
    assert not ttnn.is_tensor_storage_on_device(x) and ttnn.get_memory_config(x) is None
    with pytest.raises(RuntimeError, match="2 values for shape"):
        ttnn.Tensor([1.0, 2.0], [3], ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)


def test_global_semaphores_stay_and_are_words_of_l1(device):
    grid = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
    first, second = (ttnn.create_global_semaphore(device, grid, value) for value in (0, 7))
    assert ttnn.get_global_semaphore_address(first) != ttnn.get_global_semaphore_address(second)
    ttnn.reset_global_semaphore_value(second, 3)
    for semaphore, value in ((first, 0), (second, 3)):
        assert ttnn.to_numpy(semaphore._words)[:, 0].tolist() == [value] * 4


def test_misuse_is_named(device):
    x = ttnn.from_numpy(np.ones((32, 64), np.float32), layout=ttnn.TILE_LAYOUT, device=device)
    host = ttnn.from_numpy(np.ones((32, 64), np.float32))
    for action, kind, text in [
        (lambda: ttnn.matmul(x, x), RuntimeError, "width=64 height=32"),
        (lambda: ttnn.exp(host), RuntimeError, "device"),
        (lambda: host.buffer_address(), RuntimeError, "HOST"),
        (lambda: ttnn.softmax(x, dim=5), RuntimeError, "Dim: 5"),
        (lambda: ttnn.reshape(x, (3, 3)), RuntimeError, "reshape"),
        (lambda: ttnn.from_numpy(np.ones(4), dtype="bf16"), TypeError, "dtype"),
        (lambda: ttnn.from_numpy(np.ones((32, 32)), dtype=ttnn.bfloat8_b, layout=ttnn.ROW_MAJOR_LAYOUT), RuntimeError, "bfloat8_b"),
        (lambda: ttnn.to_memory_config(x, ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG), RuntimeError, "shard_spec"),
        (lambda: ttnn.layernorm(x), AttributeError, "nearest that exists is layer_norm"),
        (lambda: ttnn.open_device(device_id=3), RuntimeError, "3"),
    ]:
        with pytest.raises(kind, match=text):
            action()


def test_the_number_of_a_member_stands_for_it(device):
    rows, tiles = ttnn.Layout.ROW_MAJOR.value, ttnn.Layout.TILE.value
    values = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    x = ttnn.from_numpy(values, layout=tiles, device=device)
    row = ttnn.from_numpy(values, layout=rows, device=device)
    assert (x.layout, row.layout) == (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT) and row.buffer_page_size() == 32 * 4
    config = ttnn.MemoryConfig(0, 1)
    assert config == ttnn.L1_MEMORY_CONFIG and not config.is_sharded() and repr(config) == repr(ttnn.L1_MEMORY_CONFIG)
    assert ttnn.to_layout(x, rows).layout is ttnn.ROW_MAJOR_LAYOUT and ttnn.to_layout(x, tiles) is x
    assert ttnn.typecast(x, ttnn.int32.value).dtype is ttnn.int32 and ttnn.to_dtype(ttnn.from_device(x), 0).dtype is ttnn.bfloat16
    made = ttnn.full((2, 32), 3.0, dtype=ttnn.float32.value, layout=tiles, device=device)
    empty = ttnn.allocate_tensor_on_device((64, 32), ttnn.int32.value, tiles, device)
    assert (made.dtype, made.layout) == (ttnn.float32, ttnn.TILE_LAYOUT) and ttnn.empty_like(row, layout=tiles).layout is ttnn.TILE_LAYOUT
    assert (empty.dtype, empty.layout) == (ttnn.int32, ttnn.TILE_LAYOUT)
    assert ttnn.Tensor([1.0], [1], ttnn.int32.value, rows).dtype is ttnn.int32
    assert ttnn.has_storage_type_of(x, ttnn.StorageType.DEVICE.value)
    for action in (lambda: ttnn.from_numpy(values, layout=9), lambda: ttnn.MemoryConfig(1, 1), lambda: ttnn.typecast(x, 99)):
        with pytest.raises(TypeError):
            action()


def test_a_closed_device_holds_nothing():
    device = ttnn.open_device(device_id=0)
    x = ttnn.from_numpy(np.ones((32, 64), np.float32), device=device)
    ttnn.close_device(device)
    assert not x.is_allocated()
    with pytest.raises(RuntimeError, match="closed"):
        ttnn.from_numpy(np.ones((32, 64), np.float32), device=device)


def test_elements_move_as_in_ttnn(device):
    x = np.arange(2 * 40 * 50, dtype=np.float32).reshape(2, 40, 50) % 251
    tiles = ttnn.from_numpy(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    rows = ttnn.to_layout(tiles, ttnn.ROW_MAJOR_LAYOUT)

    def values(tensor):
        return ttnn.to_numpy(tensor).astype(np.float32)

    assert np.array_equal(values(ttnn.repeat_interleave(tiles, 2, dim=1)), np.repeat(x, 2, 1))
    assert np.array_equal(values(ttnn.stack([tiles, tiles], 1)), np.stack([x, x], 1))
    assert [list(part.shape) for part in ttnn.chunk(tiles, 3, 1)] == [[2, 14, 50], [2, 14, 50], [2, 12, 50]]
    assert np.array_equal(values(ttnn.tril(tiles, diagonal=1)), np.tril(x, 1)) and np.array_equal(values(ttnn.triu(tiles)), np.triu(x))
    assert list(ttnn.view(tiles, (1, 2, 40, 50)).shape) == [1, 2, 40, 50]
    with pytest.raises(RuntimeError, match="would move elements"):
        ttnn.view(tiles, (80, 50))
    assert list(ttnn.view(rows, (80, 50)).shape) == [80, 50]
    cut = ttnn.untilize_with_unpadding(tiles, (1, 38, 9))
    assert cut.layout is ttnn.ROW_MAJOR_LAYOUT and np.array_equal(values(cut), x[:, :39, :10])
    padded = ttnn.tilize_with_val_padding(rows, [2, 64, 64], 7.0)
    assert list(padded.padded_shape) == [2, 64, 64] and np.array_equal(values(padded), x)
    before = tiles.tileproof.exact
    again = ttnn.reallocate(tiles)
    assert not tiles.is_allocated() and np.array_equal(values(again), x) and again.tileproof.exact is before
    host = ttnn.from_numpy(np.zeros_like(x), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    ttnn.copy_device_to_host_tensor(again, host)
    assert np.array_equal(values(host), x) and ttnn.get_device_tensors(again)[0] is again


def test_a_shard_shape_of_its_own_is_given_across_where_shards_go_down():
    # What ttnn 0.79 makes of it, recorded.
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
    for orientation, shape in ((ttnn.ShardOrientation.ROW_MAJOR, [64, 32]), (ttnn.ShardOrientation.COL_MAJOR, [32, 64])):
        config = ttnn.create_sharded_memory_config((64, 32), cores, ttnn.ShardStrategy.HEIGHT, orientation, use_height_and_width_as_shard_shape=True)
        assert list(config.shard_spec.shape) == shape
    assert ttnn.CoreGrid(y=2, x=5) != ttnn.CoreGrid(y=2, x=5)


def test_zeros_that_operations_leave_have_no_sign(device):
    x = ttnn.from_numpy(np.array([[0.0, -0.25]], dtype=np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    for op in (ttnn.neg, ttnn.ceil, ttnn.trunc):
        assert not np.signbit(ttnn.to_numpy(op(x)).astype(np.float32)[ttnn.to_numpy(op(x)).astype(np.float32) == 0]).any()
