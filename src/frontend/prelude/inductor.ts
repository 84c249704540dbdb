/** `torch._inductor.runtime.triton_helpers` as Python text: the functions that kernels of torch.compile call. */
export const INDUCTOR_HELPERS = `"""The functions of torch's module 'torch._inductor.runtime.triton_helpers', for machines without torch.

Names of functions and the order of operations show in the IR: they are those of torch 2.10.
"""
import triton
from .triton_compat import _log2, libdevice, math, tl


@triton.jit
def promote_to_tensor(x):
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def is_floating(x):
    return promote_to_tensor(x).dtype.is_floating()


# --- constants of the kernel ---


@tl.core.builtin
def constexpr_next_power_of_2(n, *, _semantic=None):
    return tl.constexpr(triton.next_power_of_2(n.value))


@tl.core.builtin
def if_mask(mask, val, *, _semantic=None):
    """None if the mask is the constant None: then tl.load takes no 'other'."""
    return tl.constexpr(None) if isinstance(mask, tl.constexpr) and mask.value is None else val


# --- integers as in Python: division rounds down, and the remainder has the divisor's sign ---


@triton.jit
def div_floor_integer(a, b):
    q = a // b
    inexact = a % b != 0
    return tl.where((a < 0) != (b < 0), tl.where(inexact, q - 1, q), q)


@triton.jit
def remainder_integer(a, b):
    r = a % b
    return tl.where((r != 0) & ((a < 0) != (b < 0)), r + b, r)


# --- reductions: a NaN wins, and of equal values the first ---


@triton.jit
def _prod_accumulate(a, b):
    return a * b


@triton.jit
def prod(input, axis):
    return tl.reduce(input, axis, _prod_accumulate)


@triton.jit
def _any_combine(a, b):
    return a | b


@triton.jit
def any(a, dim):
    return tl.reduce(a, dim, _any_combine)


@triton.jit
def minimum(a, b):
    first = a < b
    if is_floating(a):
        first |= a != a
    return tl.where(first, a, b)


@triton.jit
def maximum(a, b):
    first = a > b
    if is_floating(a):
        first |= a != a
    return tl.where(first, a, b)


@triton.jit
def min2(a, dim):
    return tl.reduce(a, dim, minimum)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, maximum)


@triton.jit
def minimum_with_index(a, i, b, j):
    first = a < b
    same = a == b
    if is_floating(a):
        nan_a = a != a
        nan_b = b != b
        first |= nan_a & (not nan_b)
        same |= nan_a & nan_b
    first |= same & (i < j)
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def maximum_with_index(a, i, b, j):
    first = a > b
    same = a == b
    if is_floating(a):
        nan_a = a != a
        nan_b = b != b
        first |= nan_a & (not nan_b)
        same |= nan_a & nan_b
    first |= same & (i < j)
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, minimum_with_index)


@triton.jit
def max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, maximum_with_index)


@triton.jit
def select_one(x, mask, dim, keep_dims=False):
    """The one value under the mask: the sum of the bits of all, where the others are zero."""
    unsigned = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=False)
    bits = tl.sum(x.to(unsigned, bitcast=True) * mask, dim, keep_dims=keep_dims)
    return bits.to(x.dtype, bitcast=True)


# --- softmax in one pass: the largest value so far, and the sum of exponentials relative to it ---


@triton.jit
def exp(x, use_fast_math: tl.constexpr):
    if use_fast_math:
        return math.exp(x)
    else:
        return libdevice.exp(x)


@triton.jit
def online_softmax_reduce(largest, total, dim, use_fast_math: tl.constexpr):
    top = max2(largest, dim)
    column = tl.expand_dims(top, dim)
    below = tl.where(column == float("-inf"), 0, largest - column)
    return top, tl.sum(total * exp(below, use_fast_math), dim)


@triton.jit
def online_softmax_combine(largest, total, value, use_fast_math: tl.constexpr):
    top = maximum(largest, value)
    old = tl.where(top == float("-inf"), 1.0, exp(largest - top, use_fast_math))
    new = tl.where(top == float("-inf"), 1.0, exp(value - top, use_fast_math))
    return top, total * old + new


# --- mean and variance in one pass (Welford): the mean, the sum of squared differences from it, the number of values ---


@triton.jit
def welford_reduce(value, mean, squares, count, first_iteration):
    if first_iteration:
        number = tl.full(count.shape, 1, count.dtype)
        middle = value
        distance = tl.zeros_like(squares)
    else:
        off = value - mean
        number = count + 1
        middle = mean + off / number
        distance = squares + off * (value - middle)
    return middle, distance, number


@triton.jit
def welford_combine(mean_a, squares_a, count_a, mean_b, squares_b, count_b):
    apart = mean_b - mean_a
    count = count_a + count_b
    part = tl.where(count == 0.0, 0.0, count_b / count)
    return mean_a + apart * part, squares_a + squares_b + apart * apart * count_a * part, count


@triton.jit
def welford(mean, squares, count, dim):
    return tl.reduce((mean, squares, count), dim, welford_combine)


# --- sorting: a bitonic network over the last dimension, which carries positions along ---


@triton.jit
def _compare_and_swap_with_index(
    x, idxs, rnumel, flip, i: tl.constexpr, n_dims: tl.constexpr, stable: tl.constexpr, descending: tl.constexpr
):
    rows: tl.constexpr = x.numel >> n_dims
    pairs: tl.constexpr = [rows * 2**i, 2, 2 ** (n_dims - i - 1)]
    word = tl.core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)

    # each half of a pair, spread over both: the sum over the pair, with the other half times zero
    bits = tl.reshape(x, pairs).to(word, bitcast=True)
    is_b = tl.arange(0, 2)[None, :, None].to(word)
    is_a = (1 - is_b).to(word)
    a_bits = tl.broadcast_to(tl.sum(bits * is_a, 1).to(word)[:, None, :], pairs)
    b_bits = tl.broadcast_to(tl.sum(bits * is_b, 1).to(word)[:, None, :], pairs)
    a_bits = tl.reshape(a_bits, x.shape)
    b_bits = tl.reshape(b_bits, x.shape)
    a = a_bits.to(x.dtype, bitcast=True)
    b = b_bits.to(x.dtype, bitcast=True)
    places = tl.reshape(idxs, pairs)
    a_place = tl.broadcast_to(tl.sum(places * is_a.to(places.dtype), 1)[:, None, :], pairs)
    b_place = tl.broadcast_to(tl.sum(places * is_b.to(places.dtype), 1)[:, None, :], pairs)
    a_place = tl.reshape(a_place, x.shape)
    b_place = tl.reshape(b_place, x.shape)

    # values beyond the row's end come last
    if rnumel is None:
        a_inside = tl.full(x.shape, True, tl.int1)
        b_inside = tl.full(x.shape, True, tl.int1)
    else:
        a_inside = a_place < rnumel
        b_inside = b_place < rnumel

    own = x.to(word, bitcast=True)
    a_nan = a != a
    b_nan = b != b
    # a NaN is larger than all numbers
    if descending:
        swap = a < b
        if is_floating(a):
            if not stable:
                swap = swap | b_nan
            else:
                swap = swap | (b_nan & (~a_nan))
    else:
        swap = a > b
        if is_floating(a):
            if not stable:
                swap = swap | a_nan
            else:
                swap = swap | (a_nan & (~b_nan))
    if stable:
        same = a == b
        if is_floating(a):
            same = same | (a_nan & b_nan)
        swap = swap | (same & (a_place > b_place))
    swap = (b_inside > a_inside) | ((b_inside == a_inside) & swap)
    swap = (swap ^ flip).to(tl.int1)
    values = own ^ tl.where(swap, a_bits ^ b_bits, tl.zeros_like(own))
    moved = idxs ^ tl.where(swap, a_place ^ b_place, tl.zeros_like(idxs))
    return values.to(x.dtype, bitcast=True), moved


@triton.jit
def _bitonic_merge_with_index(
    x, idxs, rnumel, stage: tl.constexpr, alternating: tl.constexpr, n_dims: tl.constexpr, stable: tl.constexpr, descending: tl.constexpr
):
    rows: tl.constexpr = x.numel >> n_dims
    tl.static_assert(stage <= n_dims)
    # sequences of 2^stage values that rise and fall in turn, or one that rises
    if alternating:
        turns: tl.constexpr = [rows * 2 ** (n_dims - 1 - stage), 2, 2**stage]
        flip = tl.reshape(tl.broadcast_to(tl.arange(0, 2)[None, :, None], turns), x.shape)
    else:
        flip = False
    for i in tl.static_range(stage):
        x, idxs = _compare_and_swap_with_index(x, idxs, rnumel, flip, i + (n_dims - stage), n_dims, stable, descending)
    return x, idxs


@triton.jit
def sort_with_index(
    x, idxs, rnumel, dim: tl.constexpr = None, stable: tl.constexpr = tl.constexpr(False), descending: tl.constexpr = tl.constexpr(False)
):
    x, idxs = tl.broadcast(x, idxs)
    last: tl.constexpr = len(x.shape) - 1 if dim is None else dim
    tl.static_assert(last == len(x.shape) - 1, "only the last dimension can be sorted")
    n_dims: tl.constexpr = _log2(x.shape[last])
    for stage in tl.static_range(1, n_dims + 1):
        x, idxs = _bitonic_merge_with_index(
            x, idxs, rnumel, stage, alternating=stage < n_dims, n_dims=n_dims, stable=stable, descending=descending
        )
    return x, idxs


# --- binary search: the place of each value among sorted boundaries, which may be sorted by way of 'sorter' ---


@triton.jit
def bucketize_binary_search(
    values,
    boundaries_ptr,
    BOUNDARIES_SIZE,
    BOUNDARIES_UNDERLYING_NUMEL,
    BOUNDARIES_STRIDE,
    boundary_indices,
    indexing_dtype,
    right,
    sorter_ptr,
    SORTER_STRIDE,
    sorter_indices,
):
    low = tl.zeros(values.shape, dtype=indexing_dtype)
    high = tl.full(values.shape, BOUNDARIES_SIZE, dtype=indexing_dtype)
    left_over = BOUNDARIES_SIZE + 1
    while left_over > 1:
        mid = (high + low) // 2
        inside = ((mid * BOUNDARIES_STRIDE + boundary_indices) < BOUNDARIES_UNDERLYING_NUMEL).logical_and(mid < BOUNDARIES_SIZE)
        at = (
            mid
            if sorter_ptr is None or SORTER_STRIDE is None
            else tl.load(sorter_ptr + sorter_indices + SORTER_STRIDE * mid, mask=inside, other=0)
        )
        bound = tl.load(boundaries_ptr + boundary_indices + BOUNDARIES_STRIDE * at, mask=inside, other=0)
        if right:
            above = values >= bound
        else:
            above = values > bound
        low = tl.where(above & inside, mid + 1, low)
        high = tl.where(above, high, mid)
        left_over = (left_over + 1) // 2
    return low


# --- between programs: a barrier, and a scan in one pass with decoupled look-back (Merrill and Garland, 2016) ---


@triton.jit
def x_grid_barrier(sem):
    """Waits for all programs along x. The first adds what makes the top bit flip when all have come."""
    tl.debug_barrier()
    one = 1
    step = one.to(tl.uint32)
    programs = tl.num_programs(0).to(tl.uint32)
    if tl.program_id(0) == 0:
        add = 0x80000000 - (programs - step)
    else:
        add = step
    before = tl.atomic_add(sem, add, sem="release")
    flipped = False
    while not flipped:
        now = tl.atomic_add(sem, 0, sem="acquire")
        flipped = ((before ^ now) & 0x80000000) != 0
    tl.debug_barrier()


@triton.jit
def pack_value_flag(value, flag, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr):
    DTYPE_VALUE_AS_UINT = tl.core._unwrap_if_constexpr(DTYPE_VALUE_AS_UINT)
    bits = DTYPE_VALUE_AS_UINT.primitive_bitwidth
    high = value.to(DTYPE_VALUE_AS_UINT, bitcast=True).to(DTYPE_PACK)
    return flag.to(DTYPE_PACK) | (high << bits)


@triton.jit
def unpack_value(pack, DTYPE_VALUE, DTYPE_VALUE_AS_UINT):
    DTYPE_VALUE = tl.core._unwrap_if_constexpr(DTYPE_VALUE)
    DTYPE_VALUE_AS_UINT = tl.core._unwrap_if_constexpr(DTYPE_VALUE_AS_UINT)
    bits = DTYPE_VALUE_AS_UINT.primitive_bitwidth
    return (pack >> bits).to(DTYPE_VALUE_AS_UINT).to(DTYPE_VALUE, bitcast=True)


@triton.jit
def unpack_flag(pack, DTYPE_FLAG):
    return pack.to(DTYPE_FLAG)


@triton.jit
def exclusive_scan_decoupled_lookback(
    scratch_base, block_value, index, combine_fn, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr
):
    """The scan of the blocks before this one. A block publishes (value, 1) for itself, then (value, 2) for all up to itself, in one word."""
    DTYPE_VALUE = block_value.dtype
    word = pack_value_flag(block_value, tl.full(block_value.shape, 1, DTYPE_VALUE_AS_UINT), DTYPE_VALUE_AS_UINT, DTYPE_PACK)
    if index > 0:
        tl.atomic_xchg(scratch_base + index, word, sem="relaxed")

    prefix = tl.zeros([], DTYPE_VALUE)
    known = False
    look = index - 1
    while look >= 0:
        flag = tl.full([], 0, DTYPE_VALUE_AS_UINT)
        while flag == 0:
            word = tl.atomic_add(scratch_base + look, 0, sem="relaxed")
            flag = unpack_flag(word, DTYPE_VALUE_AS_UINT)
        value = unpack_value(word, DTYPE_VALUE, DTYPE_VALUE_AS_UINT)
        if known:
            prefix = combine_fn(value, prefix)
        else:
            prefix = value
            known = True
        if flag == 2:
            look = -1
        else:
            look = look - 1

    if known:
        total = combine_fn(prefix, block_value)
    else:
        total = block_value
    word = pack_value_flag(total, tl.full([], 2, DTYPE_VALUE_AS_UINT), DTYPE_VALUE_AS_UINT, DTYPE_PACK)
    tl.atomic_xchg(scratch_base + index, word, sem="relaxed")
    return prefix


@triton.jit
def exclusive_scan_decoupled_lookback_64(scratch_base, block_value, index, combine_fn):
    """As above for 64 bits, in three words a block: the flag, the block's value, the value of all up to the block."""
    if index > 0:
        own = block_value.to(tl.uint64, bitcast=True)
        tl.store(scratch_base + 3 * index + 1, own)
        tl.debug_barrier()
        one = tl.full([], 1, tl.uint64)
        tl.atomic_xchg(scratch_base + 3 * index + 0, one, sem="release")

    prefix = tl.zeros([], block_value.dtype)
    known = False
    look = index - 1
    while look >= 0:
        flag = tl.full([], 0, tl.uint64)
        while flag == 0:
            flag = tl.atomic_add(scratch_base + 3 * look + 0, 0, sem="acquire")
        value = tl.load(scratch_base + 3 * look + flag.to(tl.int32)).to(block_value.dtype, bitcast=True)
        if known:
            prefix = combine_fn(value, prefix)
        else:
            prefix = value
            known = True
        if flag == 2:
            look = -1
        else:
            look = look - 1

    if known:
        total = combine_fn(prefix, block_value)
    else:
        total = block_value
    all_before = total.to(tl.uint64, bitcast=True)
    tl.store(scratch_base + 3 * index + 2, all_before)
    tl.debug_barrier()
    two = tl.full([], 2, tl.uint64)
    tl.atomic_xchg(scratch_base + 3 * index + 0, two, sem="release")
    return prefix


# --- others ---


@triton.jit
def frexp(x):
    e = libdevice.ilogb(x) + 1
    exponent = tl.where(x == 0, 0, e)
    mantissa = tl.where(x == 0, 0, libdevice.ldexp(x, -e))
    return mantissa, exponent


@triton.jit
def device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


@triton.jit
def randint64(seed, offset, low, high):
    word0, word1, _word2, _word3 = tl.randint4x(seed, offset)
    word0 = word0.to(tl.uint64)
    word1 = word1.to(tl.uint64)
    bits = word0 | (word1 << 32)
    size = high - low
    bits = bits % size.to(tl.uint64)
    return bits.to(tl.int64) + low
`;

/** `torch._inductor.runtime.triton_compat`: names of Triton under those that helpers import. */
export const INDUCTOR_COMPAT = `import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.standard import _log2

math = tl.math
builtins_use_semantic_kwarg = True


class JITFunction:
    pass
`;
