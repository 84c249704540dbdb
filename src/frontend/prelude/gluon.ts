/** The parts of Gluon's language that Triton writes in Gluon, as Python text. Names and the order of operations show in the IR. */

/** `triton.experimental.gluon.language._standard` */
export const GLUON_STANDARD = `
from triton.language.standard import cdiv, sum, max, min, ravel, reduce_or, xor_sum
from .._runtime import jit
from . import _core as ttgl


@jit
#line 29
def zeros(shape, dtype, layout=None):
    #line 41
    return ttgl.full(shape, 0, dtype, layout)


@jit
#line 45
def full_like(input, value, shape=None, dtype=None, layout=None):
    #line 59
    return ttgl.full(
        input.shape if shape is None else shape,
        value,
        input.dtype if dtype is None else dtype,
        input.type.layout if layout is None else layout,
    )


@jit
#line 68
def zeros_like(input, shape=None, dtype=None, layout=None):
    #line 81
    return full_like(input, 0, shape=shape, dtype=dtype, layout=layout)
`;

/** `triton.experimental.gluon.language.nvidia.blackwell.float2`: pairs of fp32 in one register of 64 bits. */
export const GLUON_FLOAT2 = `
from triton.language.core import _aggregate as aggregate
from triton.experimental.gluon.language import _core as ttgl, _standard as stdlib
from triton.experimental.gluon._runtime import constexpr_function, jit


@jit
def _add_f32x2(a, b):
    return ttgl.inline_asm_elementwise("\\n        add.f32x2 $0, $1, $2;\\n        ", "=l,l,l", [a, b], dtype=ttgl.int64, is_pure=True, pack=1)


@jit
def _sub_f32x2(a, b):
    return ttgl.inline_asm_elementwise("\\n        sub.f32x2 $0, $1, $2;\\n        ", "=l,l,l", [a, b], dtype=ttgl.int64, is_pure=True, pack=1)


@jit
def _mul_f32x2(a, b):
    return ttgl.inline_asm_elementwise("\\n        mul.f32x2 $0, $1, $2;\\n        ", "=l,l,l", [a, b], dtype=ttgl.int64, is_pure=True, pack=1)


@jit
def _fma_f32x2(a, b, c):
    return ttgl.inline_asm_elementwise("\\n        fma.rn.f32x2 $0, $1, $2, $3;\\n        ", "=l,l,l,l", [a, b, c], dtype=ttgl.int64, is_pure=True, pack=1)


@aggregate
class Float2Tensor:
    value: ttgl.tensor

    @constexpr_function
    def __init__(self, value):
        self.value = value

    @jit
    def __add__(self, rhs):
        ttgl.static_assert(isinstance(rhs, Float2Tensor), "rhs must be a Float2Tensor")
        return Float2Tensor(_add_f32x2(self.value, rhs.value))

    @jit
    def __sub__(self, rhs):
        ttgl.static_assert(isinstance(rhs, Float2Tensor), "rhs must be a Float2Tensor")
        return Float2Tensor(_sub_f32x2(self.value, rhs.value))

    @jit
    def __mul__(self, rhs):
        ttgl.static_assert(isinstance(rhs, Float2Tensor), "rhs must be a Float2Tensor")
        return Float2Tensor(_mul_f32x2(self.value, rhs.value))

    @jit
    def sum(self, axis: ttgl.constexpr):
        return Float2Tensor(ttgl.reduce(self.value, axis=axis, combine_fn=_add_f32x2))


@jit
def pack2(x0, x1):
    value = ttgl.inline_asm_elementwise("\\n        mov.b64 $0, { $1, $2 };\\n        ", "=l,r,r", [x0, x1], dtype=ttgl.int64, is_pure=True, pack=1)
    return Float2Tensor(value)


@jit
def unpack2(x):
    return ttgl.inline_asm_elementwise("\\n        mov.b64 { $0, $1 }, $2;\\n        ", "=r,=r,l", [x.value], dtype=[ttgl.float32, ttgl.float32], is_pure=True, pack=1)


@constexpr_function
def _get_split_shape(shape, axis):
    shape = [extent for extent in shape]
    assert shape[axis] >= 2, f"not enough elements to pack along axis {axis}"
    shape[axis] //= 2
    shape.insert(axis + 1, 2)
    permute = list(range(len(shape)))
    last = permute[len(permute) - 1]
    permute[len(permute) - 1] = permute[axis + 1]
    permute[axis + 1] = last
    return ttgl.tuple(shape), ttgl.tuple(permute)


@constexpr_function
def _get_join_shape(shape, axis):
    shape = [extent for extent in shape]
    shape[axis] *= 2
    permute = list(range(len(shape)))
    permute.insert(axis + 1, len(permute))
    return ttgl.tuple(shape), ttgl.tuple(permute)


@jit
def pack(x, axis):
    sp: ttgl.constexpr = _get_split_shape(x.shape, axis)
    x0, x1 = x.reshape(*sp[0]).permute(*sp[1]).split()
    return pack2(x0, x1)


@jit
def unpack(x, axis):
    shape: ttgl.constexpr = x.value.shape
    sp: ttgl.constexpr = _get_join_shape(shape, axis)
    x0, x1 = unpack2(x)
    return ttgl.join(x0, x1).permute(*sp[1]).reshape(*sp[0])


@jit
def full_like(x, fill_value):
    ttgl.static_assert(fill_value.dtype == ttgl.float32, "fill_value must be a float32")
    fill = stdlib.full_like(x.value, fill_value, dtype=ttgl.float32)
    return pack2(fill, fill)


@jit
def fma(a, b, c):
    return Float2Tensor(_fma_f32x2(a.value, b.value, c.value))
`;

/** What `triton.experimental.gluon.language.nvidia.ampere.mbarrier` has in Gluon since 3.7. */
export const GLUON_MBARRIER = `
from ... import _core as ttgl
from triton.experimental.gluon._runtime import jit
from triton.experimental.gluon.language.nvidia.ampere.mbarrier import MBarrierLayout


@jit
#line 50
def allocate_mbarrier(batch: ttgl.constexpr = None, two_ctas: ttgl.constexpr = False):
    #line 57
    ctas: ttgl.constexpr = ttgl.num_ctas()
    barriers: ttgl.constexpr = ctas // 2 if two_ctas else ctas
    ttgl.static_assert(batch is None or isinstance(batch.value, int))
    shape: ttgl.constexpr = [barriers] if batch is None else [batch, barriers]
    bar = ttgl.allocate_shared_memory(
        ttgl.int64,
        shape,
        MBarrierLayout.multicta(num_ctas=ctas, two_cta=two_ctas),
    )
    #line 66
    return bar
`;

/** What `triton.experimental.gluon.language.nvidia.hopper.mbarrier` has in Gluon in 3.7 alone. */
export const GLUON_HOPPER_MBARRIER_3_7 = `
from triton.experimental.gluon._runtime import jit
from triton.experimental.gluon.language.nvidia.hopper import cluster
from triton.experimental.gluon.language.nvidia.hopper.mbarrier import fence_init_release_cluster


@jit
#line 60
def sync_cluster_init():
    #line 64
    fence_init_release_cluster()
    cluster.arrive(relaxed=True)
    cluster.wait()
`;
