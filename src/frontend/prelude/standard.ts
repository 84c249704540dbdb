/** `triton.language.standard` as Python text: the functions that Triton writes in Triton. */
export const STANDARD = `"""What Triton's standard library writes in Triton: the module 'triton.language.standard' of a kernel.

Names of functions, parameters and variables, and the order of operations, show in the IR: they are those of Triton 3.6.
"""
from ..runtime.jit import jit, constexpr_function
from . import core
from . import math


@constexpr_function
def _log2(i):
    bits = 0
    while i > 1:
        i >>= 1
        bits += 1
    return bits


@constexpr_function
def _is_power_of_two(i):
    return i != 0 and (i & (i - 1)) == 0


@constexpr_function
def _get_int_dtype(bitwidth, signed):
    return core.get_int_dtype(bitwidth, signed)


# --- elementwise ---


@core._tensor_member_fn
@jit
#line 34
def cdiv(x, div):
    #line 43
    return (x + (div - 1)) // div


@core._tensor_member_fn
@jit
#line 49
def sigmoid(x):
    return 1 / (1 + math.exp(-x))


@core._tensor_member_fn
@jit
#line 56
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: core.constexpr = 0 if dim is None else dim
    # Relative to the maximum nothing overflows.
    #line 61
    z = x - max(x, axis, keep_dims=keep_dims)
    num = math.exp(z)
    den = sum(num, axis, keep_dims=keep_dims)
    return math.fdiv(num, den, ieee_rounding)


@core._tensor_member_fn
@jit
#line 69
def ravel(x, can_reorder=False):
    #line 76
    return core.reshape(x, [x.numel], can_reorder=can_reorder)


@jit
#line 80
def swizzle2d(i, j, size_i, size_j, size_g):
    # Groups of 'size_g' rows are walked column by column.
    #line 101
    ij = i * size_j + j
    #line 104
    size_gj = size_g * size_j
    #line 106
    group_id = ij // size_gj
    #line 108
    off_i = group_id * size_g
    # The last group may have fewer rows.
    size_g = core.minimum(size_i - off_i, size_g)
    #line 112
    ij = ij % size_gj
    #line 114
    new_i = off_i + ij % size_g
    new_j = ij // size_g
    return new_i, new_j


@jit
#line 120
def zeros(shape, dtype):
    #line 129
    return core.full(shape, 0, dtype)


@jit
#line 133
def zeros_like(input):
    #line 140
    return zeros(input.shape, input.dtype)


# --- maximum and minimum ---


@jit
#line 147
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    if tie_break_left:
        tie = value1 == value2 and index1 < index2
    else:
        tie = False
    gt = value1 > value2 or tie
    v_ret = core.where(gt, value1, value2)
    i_ret = core.where(gt, index1, index2)
    return v_ret, i_ret


@jit
#line 159
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@jit
#line 164
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@jit
#line 169
def _elementwise_max(a, b):
    return core.maximum(a, b)


@core._tensor_member_fn
@jit
#line 177
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    input = core._promote_bfloat16_to_float32(input)
    #line 179
    if return_indices:
        if return_indices_tie_break_left:
            return core._reduce_with_indices(input, axis, _argmax_combine_tie_break_left, keep_dims=keep_dims)
        else:
            return core._reduce_with_indices(input, axis, _argmax_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        if input.dtype.primitive_bitwidth < 32:
            if input.dtype.is_floating():
                input = input.to(core.float32)
            else:
                assert input.dtype.is_int(), "Expecting input to be integer type"
                input = input.to(core.int32)
        return core.reduce(input, axis, _elementwise_max, keep_dims=keep_dims)


@core._tensor_member_fn
@jit
#line 197
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    (_, ret) = max(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims)
    return ret


@jit
#line 206
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    if tie_break_left:
        tie = value1 == value2 and index1 < index2
    else:
        tie = False
    lt = value1 < value2 or tie
    value_ret = core.where(lt, value1, value2)
    index_ret = core.where(lt, index1, index2)
    return value_ret, index_ret


@jit
#line 218
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@jit
#line 223
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


@jit
#line 228
def _elementwise_min(a, b):
    return core.minimum(a, b)


@core._tensor_member_fn
@jit
#line 236
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    input = core._promote_bfloat16_to_float32(input)
    #line 238
    if return_indices:
        if return_indices_tie_break_left:
            return core._reduce_with_indices(input, axis, _argmin_combine_tie_break_left, keep_dims=keep_dims)
        else:
            return core._reduce_with_indices(input, axis, _argmin_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        if input.dtype.primitive_bitwidth < 32:
            if input.dtype.is_floating():
                input = input.to(core.float32)
            else:
                assert input.dtype.is_int(), "Expecting input to be integer type"
                input = input.to(core.int32)
        return core.reduce(input, axis, _elementwise_min, keep_dims=keep_dims)


@core._tensor_member_fn
@jit
#line 256
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    _, ret = min(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims)
    return ret


# --- sums and other reductions ---


@jit
#line 262
def _sum_combine(a, b):
    return a + b


@constexpr_function
def _pick_sum_dtype(given, dtype):
    # Narrow integers are summed in 32 bits of the same sign; None leaves the dtype as it is.
    if dtype is not None:
        return dtype
    if given.is_int_signed():
        return core.int32 if given.int_bitwidth < 32 else None
    if given.is_int_unsigned():
        return core.uint32 if given.int_bitwidth < 32 else None
    return None


@core._tensor_member_fn
@jit
#line 287
def sum(input, axis=None, keep_dims=False, dtype: core.constexpr = None):
    #line 289
    wide_type: core.constexpr = _pick_sum_dtype(input.dtype, dtype)
    #line 291
    if wide_type is not None:
        input = input.to(wide_type)
    return core.reduce(input, axis, _sum_combine, keep_dims=keep_dims)


@jit
#line 297
def _xor_combine(a, b):
    return a ^ b


@core._tensor_member_fn
@jit
#line 307
def xor_sum(input, axis=None, keep_dims=False):
    core.static_assert(input.type.scalar.is_int(), "xor_sum only supported for integers")
    return core.reduce(input, axis, _xor_combine, keep_dims=keep_dims)


@jit
#line 316
def _or_combine(x, y):
    return x | y


@core._tensor_member_fn
@jit
#line 323
def reduce_or(input, axis, keep_dims=False):
    core.static_assert(input.type.scalar.is_int(), "reduce_or only supported for integers")
    return core.reduce(input, axis, _or_combine, keep_dims=keep_dims)


# --- scans ---


@core._tensor_member_fn
@jit
#line 334
def cumsum(input, axis=0, reverse=False, dtype: core.constexpr = None):
    #line 337
    input = core._promote_bfloat16_to_float32(input)
    wide_type: core.constexpr = _pick_sum_dtype(input.dtype, dtype)
    #line 340
    if wide_type is not None:
        input = input.to(wide_type)
    #line 343
    return core.associative_scan(input, axis, _sum_combine, reverse)


@jit
#line 350
def _prod_combine(a, b):
    return a * b


@core._tensor_member_fn
@jit
#line 357
def cumprod(input, axis=0, reverse=False):
    #line 359
    input = core._promote_bfloat16_to_float32(input)
    return core.associative_scan(input, axis, _prod_combine, reverse)


# --- sorting: bitonic, on a hypercube of two places along every dimension ---


@jit
#line 367
def _indicator(places: core.constexpr, j: core.constexpr):
    # 0 and 1 along the j-th innermost of places dimensions.
    #line 368
    ar = core.arange(0, 2)
    ar = core.reshape(ar, [1] * (places - j - 1) + [2] + [1] * j)
    return ar


@jit
#line 374
def _compare_and_swap(x, flip, i: core.constexpr):
    #line 376
    places: core.constexpr = _log2(x.numel)
    # The neighbour along the i-th innermost dimension: the xor of both is the sum of two.
    #line 379
    signed = _get_int_dtype(x.dtype.primitive_bitwidth, True)
    ix = x.to(signed, bitcast=True)
    iy = ix ^ xor_sum(ix, places - i - 1, True)
    y = iy.to(x.dtype, bitcast=True)
    #line 385
    is_right = _indicator(places, i)
    #line 388
    ret = core.where((x > y) != (flip ^ is_right), y, x)
    return ret


@jit
#line 393
def _bitonic_merge_hypercube(x, stage: core.constexpr, order: core.constexpr):
    # order 0 sorts upwards, 1 downwards, 2 by turns with a stride of 2 ** stage.
    #line 404
    if order == 2:
        flip = _indicator(_log2(x.numel), stage)
    else:
        flip = order
    #line 409
    for n in core.static_range(stage):
        x = _compare_and_swap(x, flip, stage - n - 1)
    return x


@jit
#line 415
def _bitonic_merge(x, stage: core.constexpr, order: core.constexpr, places: core.constexpr):
    h = core.reshape(x, [2] * _log2(x.numel))
    h = _bitonic_merge_hypercube(h, stage, order)
    x = core.reshape(h, x.shape)
    return x


@jit
#line 423
def sort_impl(x, k: core.constexpr = None, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    #line 437
    axis: core.constexpr = dim if dim is not None else len(x.shape) - 1
    core.static_assert(axis + 1 == len(x.shape), "only minor dimension is currently supported")
    #line 440
    level: core.constexpr = _log2(x.shape[axis])
    below: core.constexpr = level if k is None else _log2(k)
    #line 443
    places: core.constexpr = _log2(x.numel)
    #line 446
    h = core.reshape(x, [2] * places if places else [1])
    # Runs of k are sorted.
    #line 449
    for n in core.static_range(1, below + 1):
        h = _bitonic_merge_hypercube(h, n, 2 if n < level else descending)
    # The better half of two runs is kept, until one is left.
    #line 454
    for n in core.static_range(below + 1, level + 1):
        h = max(h, axis=(_log2(h.numel) - 1 - below)) if descending else min(h, axis=(_log2(h.numel) - 1 - below))
        h = _bitonic_merge_hypercube(h, below, 2 if n < level else descending)
    #line 459
    x = core.reshape(h, x.shape[:-1] + [2**below])
    return x


@jit
#line 464
def sort(x, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    return sort_impl(x, dim=dim, descending=descending)


@jit
#line 469
def topk(x, k: core.constexpr, dim: core.constexpr = None):
    #line 470
    return sort_impl(x, k=k, dim=dim, descending=True)


@jit
#line 474
def bitonic_merge(x, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    #line 476
    axis: core.constexpr = dim if dim is not None else len(x.shape) - 1
    core.static_assert(axis + 1 == len(x.shape), "only minor dimension is currently supported")
    places: core.constexpr = _log2(x.shape[-1])
    return _bitonic_merge(x, places, descending, places)


# --- order of elements ---


@constexpr_function
def _get_flip_dim(dim, shape):
    if dim is None:
        return len(shape) - 1
    return dim + len(shape) if dim < 0 else dim


@core._tensor_member_fn
@jit
#line 493
def flip(x, dim=None):
    #line 502
    core.static_assert(-len(x.shape) <= dim and dim < len(x.shape))
    axis: core.constexpr = _get_flip_dim(dim, x.shape)
    core.static_assert(_is_power_of_two(x.shape[axis]))
    turns: core.constexpr = _log2(x.shape[axis])
    # Along dimensions of two places, neighbours are swapped by xor.
    #line 508
    signed = _get_int_dtype(x.dtype.primitive_bitwidth, True)
    y = core.reshape(x.to(signed, bitcast=True), x.shape[:axis] + [2] * turns + x.shape[axis + 1:])
    for n in core.static_range(turns):
        y = y ^ xor_sum(y, axis + n, True)
    x = core.reshape(y, x.shape).to(x.dtype, bitcast=True)
    return x


@jit
#line 517
def interleave(a, b):
    #line 527
    c = core.join(a, b)
    #line 529
    if len(c.shape) == 1:
        # Two scalars.
        return c
    else:
        #line 536
        return core.reshape(c, c.shape[:-2] + [2 * c.shape[-2]])
`;

/** The same in 3.7: `topk` has a description of 21 lines, and there are two functions more. */
export const STANDARD_3_7 = `${STANDARD.replace(/#line (\d+)/g, (text, line) => (Number(line) > 469 ? `#line ${Number(line) + 21}` : text))}

@jit
#line 561
def squeeze(x, dim: core.constexpr):
    core.static_assert(x.shape[dim] == 1)
    return x.reshape(x.shape[:dim] + x.shape[dim + 1:])


@jit
#line 567
def unsqueeze(x, dim: core.constexpr):
    return x.reshape(x.shape[:dim] + (1, ) + x.shape[dim:])
`;

/** The same in 3.8: \`topk\` also gives the smallest, and says so in two lines. */
export const STANDARD_3_8 = STANDARD_3_7.replace(/#line (\d+)/g, (text, line) => (Number(line) > 481 ? `#line ${Number(line) + 2}` : text))
  .replace(
    "def topk(x, k: core.constexpr, dim: core.constexpr = None)",
    "def topk(x, k: core.constexpr, dim: core.constexpr = None, descending: core.constexpr = True)",
  )
  .replace("return sort_impl(x, k=k, dim=dim, descending=True)", "return sort_impl(x, k=k, dim=dim, descending=descending)");

/** By how many lines a function is further down in 3.9 than in 3.8, from the first line of each stretch. */
const MOVED_3_9: readonly (readonly [number, number])[] = [
  [440, 25],
  [343, 15],
  [339, 16],
  [335, 18],
  [290, 21],
  [282, 23],
  [238, 24],
  [179, 25],
  [56, 26],
];

const moved39 = (line: number): number => line + (MOVED_3_9.find(([from]) => line >= from)?.[1] ?? 0);

/** The same in 3.9, and after it the functions that are others. */
export const STANDARD_3_9 = `${STANDARD_3_8.replace(/#line (\d+)/g, (_, line) => `#line ${moved39(Number(line))}`)
  .replaceAll("    if wide_type is not None:\n        input", "\n    input")
  .replace("!= (flip ^ is_right), y, x)", "!= (flip ^ is_right).to(core.int1), y, x)")
  .replace(
    / {4}core\.static_assert\(-len\(x\.shape\) <= dim and dim < len\(x\.shape\)\)\n( {4}axis: core\.constexpr = _get_flip_dim\(dim, x\.shape\)\n)/,
    '$1    core.static_assert(0 <= axis and axis < len(x.shape), "flip: dim must be None or in [-rank, rank)")\n',
  )}

@core._tensor_member_fn
@jit
#line 64
def softmax(x, dim=None, *, keep_dims=None, ieee_rounding=False):
    # The shape is kept, whatever keep_dims is.
    axis: core.constexpr = 0 if dim is None else dim
    #line 87
    z = x - max(x, axis, keep_dims=True)
    num = math.exp(z)
    den = sum(num, axis, keep_dims=True)
    return math.fdiv(num, den, ieee_rounding)


@constexpr_function
def _pick_sum_dtype(given, dtype):
    # Narrow integers are summed in 32 bits of the same sign.
    if dtype is not None:
        return dtype
    if given.is_int_signed() and given.int_bitwidth < 32:
        return core.int32
    if given.is_int_unsigned() and given.int_bitwidth < 32:
        return core.uint32
    return given


@core._tensor_member_fn
@jit
#line 372
def cumprod(input, axis=0, reverse=False, dtype: core.constexpr = None):
    wide_type: core.constexpr = _pick_sum_dtype(input.dtype, dtype)
    input = input.to(wide_type)
    return core.associative_scan(input, axis, _prod_combine, reverse)


@jit
#line 438
def sort_impl(x, k: core.constexpr = None, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    #line 452
    axis: core.constexpr = dim if dim is not None else len(x.shape) - 1
    core.static_assert(axis + 1 == len(x.shape), "only minor dimension is currently supported")
    #line 455
    if k is not None:
        core.static_assert(k > 0, "topk: k must be greater than 0")
        core.static_assert(_is_power_of_two(k), "topk: k must be a power of two")
        core.static_assert(k <= x.shape[axis], "topk: k must not exceed the size of the selected dimension")
    #line 460
    level: core.constexpr = _log2(x.shape[axis])
    below: core.constexpr = level if k is None else _log2(k)
    #line 463
    if below == 0:
        # The best of all is a reduction.
        #line 466
        x = max(x, axis=axis, keep_dims=True) if descending else min(x, axis=axis, keep_dims=True)
    else:
        #line 468
        places: core.constexpr = _log2(x.numel)
        #line 471
        h = core.reshape(x, [2] * places if places else [1])
        #line 474
        for n in core.static_range(1, below + 1):
            h = _bitonic_merge_hypercube(h, n, 2 if n < level else descending)
        #line 479
        for n in core.static_range(below + 1, level + 1):
            h = max(h, axis=(_log2(h.numel) - 1 - below)) if descending else min(h, axis=(_log2(h.numel) - 1 - below))
            h = _bitonic_merge_hypercube(h, below, 2 if n < level else descending)
        #line 484
        x = core.reshape(h, x.shape[:-1] + [2**below])
    return x


@jit
#line 588
def squeeze(x, dim: core.constexpr):
    #line 599
    core.static_assert(-len(x.shape) <= dim and dim < len(x.shape))
    axis: core.constexpr = dim + len(x.shape) if dim < 0 else dim
    core.static_assert(x.shape[axis] == 1)
    return x.reshape(x.shape[:axis] + x.shape[axis + 1:])


@jit
#line 606
def unsqueeze(x, dim: core.constexpr):
    #line 617
    ndim: core.constexpr = len(x.shape) + 1
    core.static_assert(-ndim <= dim and dim < ndim)
    axis: core.constexpr = dim + ndim if dim < 0 else dim
    return x.reshape(x.shape[:axis] + (1, ) + x.shape[axis:])
`;
