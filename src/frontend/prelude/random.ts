/** `triton.language.random` as Python text: the functions that Triton writes in Triton. */
export const RANDOM = `"""Philox random numbers: the module 'triton.language.random' of a kernel.

Names of functions, parameters and variables, and the order of operations, show in the IR: they are those of Triton 3.6.
"""
from ..runtime.jit import jit
from . import core as tl
from . import math

N_ROUNDS_DEFAULT = tl.constexpr(10)


# --- integers ---


@jit
#line 13
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 17
    if c0.dtype == tl.uint32:
        KEY_A: tl.constexpr = 0x9E3779B9
        KEY_B: tl.constexpr = 0xBB67AE85
        ROUND_A: tl.constexpr = 0xD2511F53
        ROUND_B: tl.constexpr = 0xCD9E8D57
    else:
        tl.static_assert(c0.dtype == tl.uint64, "dtype not supported in philox_impl")
        KEY_A: tl.constexpr = 0x9E3779B97F4A7C15
        KEY_B: tl.constexpr = 0xBB67AE8584CAA73B
        ROUND_A: tl.constexpr = 0xD2E7470EE14C6C93
        ROUND_B: tl.constexpr = 0xCA5A826395121157

    for turn in tl.static_range(n_rounds):
        #line 32
        A = ROUND_A
        B = ROUND_B
        pre, mid = c0, c2
        c0 = math.umulhi(B, mid) ^ c1 ^ k0
        c2 = math.umulhi(A, pre) ^ c3 ^ k1
        # Products and keys wrap around.
        #line 37
        c1 = tl.mul(B, mid, sanitize_overflow=False)
        c3 = tl.mul(A, pre, sanitize_overflow=False)
        #line 40
        k0 = tl.add(k0, KEY_A, sanitize_overflow=False)
        k1 = tl.add(k1, KEY_B, sanitize_overflow=False)
    return c0, c1, c2, c3


@jit
#line 46
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int())
    seed = seed.to(tl.uint64)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)

    if c0.dtype.primitive_bitwidth == 32:
        word = tl.uint32
        seed_hi = ((seed >> 32) & 0xFFFFFFFF).to(tl.uint32)
        seed_lo = (seed & 0xFFFFFFFF).to(tl.uint32)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64, "bitwidth not supported in philox")
        word = tl.uint64
        seed_hi = tl.full((1, ), 0, dtype=word)
        seed_lo = seed

    c0 = c0.to(word, bitcast=True)
    c1 = c1.to(word, bitcast=True)
    c2 = c2.to(word, bitcast=True)
    c3 = c3.to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, seed_lo, seed_hi, n_rounds)


@jit
#line 73
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 84
    top, _, _, _ = randint4x(seed, offset, n_rounds)
    return top


@jit
#line 89
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 102
    offset_lo = offset.to(tl.uint32)
    _0 = offset_lo * 0

    if offset.dtype.primitive_bitwidth > 32:
        offset_hi = (offset >> 32).to(tl.uint32)
    else:
        offset_hi = _0

    return philox(seed, offset_lo, offset_hi, _0, _0, n_rounds)


# --- uniform floats ---


@jit
#line 127
def uint_to_uniform_float(x):
    # The scale is such that the greatest integer stays below 1 when rounded.
    #line 134
    if x.dtype == tl.uint32 or x.dtype == tl.int32:
        #line 136
        x = x.to(tl.int32, bitcast=True)
        scale = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype == tl.uint64 or x.dtype == tl.int64)
        x = x.to(tl.int64, bitcast=True)
        scale = 1.0842020432385337e-19
    x = tl.where(x < 0, -x - 1, x)
    return x * scale


@jit
#line 147
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 155
    source = randint(seed, offset, n_rounds)
    return uint_to_uniform_float(source)


@jit
#line 160
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 168
    w1, w2, w3, w4 = randint4x(seed, offsets, n_rounds)
    u1 = uint_to_uniform_float(w1)
    u2 = uint_to_uniform_float(w2)
    u3 = uint_to_uniform_float(w3)
    u4 = uint_to_uniform_float(w4)
    return u1, u2, u3, u4


# --- normal floats, by Box and Muller ---


@jit
#line 182
def pair_uniform_to_normal(u1, u2):
    #line 184
    u1 = tl.maximum(1.0e-7, u1)
    th = 6.283185307179586 * u2
    r = math.sqrt(-2.0 * math.log(u1))
    return r * math.cos(th), r * math.sin(th)


@jit
#line 191
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 199
    w1, w2, _, _ = randint4x(seed, offset, n_rounds)
    u1 = uint_to_uniform_float(w1)
    u2 = uint_to_uniform_float(w2)
    g1, _ = pair_uniform_to_normal(u1, u2)
    return g1


@jit
#line 207
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    #line 215
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    g1, g2 = pair_uniform_to_normal(u1, u2)
    g3, g4 = pair_uniform_to_normal(u3, u4)
    return g1, g2, g3, g4
`;

/** The same in 3.8. */
export const RANDOM_3_8 = RANDOM.replace("tl.where(x < 0, -x - 1, x)", "tl.where(x < 0, ~x, x)");
