/** `nvidia.hopper`: mbarriers with bytes, TMA, wgmma, fences. Source: python/triton/experimental/gluon/language/nvidia/hopper. */
import { MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import {
  AsyncSharedStoreOp,
  BarrierExpectOp,
  ClusterArriveOp,
  ClusterBarrierOp,
  ClusterWaitOp,
  FenceAsyncSharedOp,
  FenceMBarrierInitReleaseClusterOp,
} from "../../../dialects/ttng/ops/barrier.js";
import {
  AsyncTMACopyGlobalToLocalOp,
  AsyncTMACopyLocalToGlobalOp,
  AsyncTMAReduceOp,
  TMAStoreWaitOp,
} from "../../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp, WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import { intAttr } from "../../../ir/builtin-attrs.js";
import { i16 } from "../../../ir/builtin-types.js";
import { self, truth } from "../../language/builtins/arguments.js";
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../../language/define-builtin.js";
import { check, raise } from "../../language/errors.js";
import { noAttribute, pyStr } from "../../language/python-text.js";
import { indexValues } from "../../language/semantic/blocks.js";
import { makeScalar, toTensor } from "../../language/semantic/constants.js";
import { precision } from "../../language/semantic/dot.js";
import { constantValue, emitOp } from "../../language/semantic/emit.js";
import { paddingOption } from "../../language/semantic/memory.js";
import type { Semantic } from "../../language/semantic.js";
import {
  type BlockType,
  blockType,
  type DescriptorType,
  type Dtype,
  descriptorIrType,
  INT32,
  INT64,
  isBlock,
  isFp8,
  isInt,
  isPtr,
} from "../../language/types.js";
import {
  type Descriptor,
  dtypeOf,
  hasHandle,
  isBuffer,
  isDescriptor,
  isKind,
  isLayout,
  isTensor,
  type Layout,
  type PyValue,
  tensor,
  tuple,
  typeOf,
  unflattenValues,
  unwrap,
} from "../../language/values.js";
import { NVMMA_SHARED } from "../layouts/shared.js";
import { checkStored } from "../semantic/buffers.js";
import { ARRIVE, COMMON_MBARRIER } from "./ampere.js";
import { buffer, handle, sequence } from "./arguments.js";

export const HOPPER_MBARRIER: readonly BuiltinDef[] = [
  ...COMMON_MBARRIER,
  defineBuiltin(
    "expect",
    { mbarrier: REQUIRED, bytes: REQUIRED, bytes_per_cta: REQUIRED, pred: true },
    (s, a) => {
      const pred = toTensor(s, a.pred);
      const size = Number(unwrap(s.rules.clusterArguments ? a.bytes_per_cta : a.bytes));
      emitOp(s, BarrierExpectOp, { alloc: handle(a.mbarrier), size, pred: pred.handle });
      return null;
    },
    { changes: ({ clusterArguments }) => (clusterArguments ? { bytes: undefined } : { bytes_per_cta: undefined }) },
  ),
  ARRIVE(true),
  defineBuiltin("fence_init_release_cluster", {}, (s) => {
    emitOp(s, FenceMBarrierInitReleaseClusterOp, {});
    return null;
  }),
];

/** `hopper.cluster`: all threads of a cluster's CTAs wait for each other. */
export const CLUSTER: readonly BuiltinDef[] = [
  defineBuiltin("arrive", { relaxed: false }, (s, a) => {
    emitOp(s, ClusterArriveOp, { relaxed: truth(a.relaxed) });
    return null;
  }),
  defineBuiltin("wait", {}, (s) => {
    emitOp(s, ClusterWaitOp, {});
    return null;
  }),
  defineBuiltin("barrier", { relaxed: false }, (s, a) => {
    emitOp(s, ClusterBarrierOp, { relaxed: truth(a.relaxed) });
    return null;
  }),
];

/** A store to the shared memory of the CTAs that hold the buffer, which counts at its mbarrier. */
export const ASYNC_STORE = defineBuiltin("async_store", { dst: REQUIRED, value: REQUIRED, mbarrier: REQUIRED }, (s, a) => {
  const { value, mbarrier } = a;
  if (!isTensor(value)) return raise("ValueError", `expected 'value' to be a tensor, but got a ${pyStr(value, "type")}`);
  if (!isBuffer(mbarrier) || mbarrier.type.space !== "shared")
    return raise("ValueError", `expected 'mbarrier' to be a shared_memory_descriptor, but got a ${pyStr(mbarrier, "type")}`);
  const to = buffer(a.dst);
  checkStored(value, to);
  emitOp(s, AsyncSharedStoreOp, { src: value.handle, dst: to.handle, mbarrier: mbarrier.handle });
  return null;
});

function descriptorOf(value: PyValue): Descriptor {
  return isDescriptor(value) ? value : raise("AttributeError", noAttribute(value, "handle"));
}

export interface DescriptorParts {
  readonly shape: PyValue;
  readonly strides: PyValue;
  readonly blockShape: PyValue;
  readonly layout: PyValue;
  readonly paddingOption: PyValue;
}
function makeTensorDescriptor(s: Semantic, base: PyValue, parts: DescriptorParts): Descriptor {
  const padding = unwrap(parts.paddingOption);
  const [shape, strides, block] = [parts.shape, parts.strides, parts.blockShape].map(sequence) as [PyValue[], PyValue[], PyValue[]];
  const rank = shape.length;
  if (!(1 <= rank && rank <= 5)) raise("ValueError", `Expected 1 <= ndim <= 5 but got ${rank} dimensions`);
  if (strides.length !== rank) raise("ValueError", `Expected ${rank} strides but got ${strides.length}`);
  if (block.length !== rank) raise("ValueError", `Expected block_shape to have ${rank} dimensions but got ${strides.length}`);
  const pointer = self(base).type;
  if (!isPtr(pointer)) return raise("AssertionError", "");
  const element = pointer.element as Dtype;
  const size = Math.trunc(element.bits / 8);
  const columns = Number(unwrap(block.at(-1)!));
  if (columns * size < 16)
    raise(
      "ValueError",
      `Descriptor block shape must have at least 16 bytes in the last dimension, but got ${columns} * ${size} = ${columns * size} bytes`,
    );
  const lastStride = unwrap(strides.at(-1)!);
  if (lastStride !== 1n) raise("ValueError", `Tensor descriptor last dim must be 1 but got ${pyStr(lastStride)}`);
  const extents = shape.map((x) => makeScalar(s, unwrap(x), INT32));
  const steps = strides.map((x) => makeScalar(s, unwrap(x), INT64));
  const type = blockType(
    element,
    block.map((extent) => Number(unwrap(extent))),
  );
  const pad = paddingOption(padding);
  const layout = unwrap(parts.layout);
  if (!isLayout(layout) || layout.cls !== NVMMA_SHARED) return raise("AssertionError", "Expected layout to be a NVMMASharedLayout");
  if (isInt(element) && pad === "nan") raise("ValueError", "Padding option `nan` is not supported for integer blocks");
  return descriptorWith(s, self(base).handle, type, layout, tuple(extents), tuple(steps), pad ?? "zero");
}
function descriptorWith(
  s: Semantic,
  base: ReturnType<typeof handle>,
  block: BlockType,
  layout: Layout,
  shape: Descriptor["shape"] & object,
  strides: Descriptor["strides"] & object,
  padding: string,
): Descriptor {
  const type: DescriptorType = {
    kind: "descriptor_type",
    block,
    shapeType: typeOf(shape) as DescriptorType["shapeType"],
    stridesType: typeOf(strides) as DescriptorType["stridesType"],
    layout,
  };
  const handles = (list: { readonly values: readonly PyValue[] }) => list.values.map(handle);
  const op = emitOp(s, MakeTensorDescOp, { base, shape: handles(shape), strides: handles(strides), padding }, [
    descriptorIrType(s.ctx, type, s.options),
  ]);
  return { kind: "descriptor", handle: op.result(0), type, shape, strides };
}

interface LoadArguments {
  readonly tensor_desc: PyValue;
  readonly coord: PyValue;
  readonly barrier: PyValue;
  readonly result: PyValue;
  readonly pred: PyValue;
  readonly multicast: PyValue;
}
function emitLoad(s: Semantic, a: LoadArguments, given: readonly PyValue[]): null {
  const coord = indexValues(s, a.coord, false);
  const pred = toTensor(s, a.pred);
  emitOp(s, AsyncTMACopyGlobalToLocalOp, {
    desc: descriptorOf(a.tensor_desc).handle,
    coord,
    offsets: given.map((offset) => im2colOffset(s, unwrap(offset))),
    barrier: handle(a.barrier),
    result: handle(a.result),
    pred: pred.handle,
    multicast: truth(a.multicast),
  });
  return null;
}
function im2colOffset(s: Semantic, offset: PyValue): ReturnType<typeof handle> {
  if (typeof offset === "bigint" || typeof offset === "boolean") return constantValue(s, intAttr(i16(s.ctx), BigInt(offset)));
  return hasHandle(offset) ? offset.handle : raise("ValueError", `Unsupported offset type: ${pyStr(offset, "type")}`);
}
const asyncLoad = (name: string): BuiltinDef =>
  defineBuiltin(
    name,
    { tensor_desc: REQUIRED, coord: REQUIRED, barrier: REQUIRED, result: REQUIRED, pred: true, multicast: false },
    (s, a) => emitLoad(s, a, []),
    { changes: ({ clusterArguments }) => (clusterArguments ? {} : { multicast: undefined }) },
  );
const asyncLoadIm2col = (name: string): BuiltinDef =>
  defineBuiltin(
    name,
    { tensor_desc: REQUIRED, coord: REQUIRED, offsets: REQUIRED, barrier: REQUIRED, result: REQUIRED, pred: true, multicast: false },
    (s, a) => emitLoad(s, a, sequence(a.offsets)),
  );

/** A store by TMA; with `kind` it combines with what is there. */
const asyncStore = (name: string, kind?: string): BuiltinDef =>
  defineBuiltin(name, { tensor_desc: REQUIRED, coord: REQUIRED, src: REQUIRED }, (s, a) => {
    const coord = indexValues(s, a.coord, false);
    const parts = { desc: descriptorOf(a.tensor_desc).handle, coord, src: handle(a.src) };
    if (kind === undefined) emitOp(s, AsyncTMACopyLocalToGlobalOp, parts);
    else emitOp(s, AsyncTMAReduceOp, { ...parts, kind });
    return null;
  });

export const HOPPER_TMA: readonly BuiltinDef[] = [
  ...["async_copy_global_to_shared", "async_load"].map(asyncLoad),
  ...["async_copy_global_to_shared_im2col", "async_load_im2col"].map(asyncLoadIm2col),
  ...["async_copy_shared_to_global", "async_store"].map((name) => asyncStore(name)),
  ...["add", "min", "max", "and", "or", "xor"].map((kind) => asyncStore(`async_atomic_${kind}`, kind)),
  defineBuiltin(
    "store_wait",
    { pendings: REQUIRED, read_only: true },
    (s, a) => {
      const read_only = s.rules.readOnlyWaits && truth(a.read_only);
      emitOp(s, TMAStoreWaitOp, { pendings: Number(unwrap(a.pendings)), read_only });
      return null;
    },
    { changes: ({ readOnlyWaits }) => (readOnlyWaits ? {} : { read_only: undefined }) },
  ),
  defineBuiltin(
    "make_tensor_descriptor",
    { base: REQUIRED, shape: REQUIRED, strides: REQUIRED, block_shape: REQUIRED, layout: REQUIRED, padding_option: "zero" },
    (s, a) =>
      makeTensorDescriptor(s, a.base, {
        shape: a.shape,
        strides: a.strides,
        blockShape: a.block_shape,
        layout: a.layout,
        paddingOption: a.padding_option,
      }),
  ),
];

/** The dtype and the last extent of an operand of a matrix product. */
function operand(value: PyValue): { readonly element: Dtype; readonly k: number } {
  if (isBuffer(value)) return { element: value.type.element, k: value.type.shape.at(-1)! };
  if (isTensor(value) && isBlock(value.type)) return { element: dtypeOf(value) as Dtype, k: value.type.shape.at(-1)! };
  return raise("AttributeError", noAttribute(value, "dtype"));
}

export const FENCE_ASYNC_SHARED = defineBuiltin("fence_async_shared", { cluster: false }, (s, a) => {
  emitOp(s, FenceAsyncSharedOp, { bCluster: truth(a.cluster) });
  return null;
});

export const WGMMA: readonly BuiltinDef[] = [
  defineBuiltin("warpgroup_mma_init", { value: REQUIRED }, (_, a) => {
    const value = a.value;
    check(isTensor(value) && isBlock(value.type));
    return { kind: "accumulator", handle: value.handle, type: { kind: "accumulator_type", tensor: value.type } };
  }),
  defineBuiltin(
    "warpgroup_mma",
    { a: REQUIRED, b: REQUIRED, acc: REQUIRED, use_acc: true, precision: null, max_num_imprecise_acc: null, is_async: false },
    (s, given) => {
      const useC = toTensor(s, given.use_acc);
      const inputPrecision = precision(s, unwrap(given.precision) ?? s.options.defaultDotInputPrecision);
      const [a, b] = [operand(given.a), operand(given.b)];
      const bothFp8 = isFp8(a.element) && isFp8(b.element);
      const asked = unwrap(given.max_num_imprecise_acc);
      const maxNumImpreciseAcc = asked === null ? (bothFp8 ? s.options.maxNumImpreciseAccDefault : 0) : Number(asked);
      if (asked !== null && bothFp8 && maxNumImpreciseAcc > a.k)
        raise("ValueError", `max_num_imprecise_acc (${maxNumImpreciseAcc}) must be <= K (${a.k})`);
      const isAsync = truth(given.is_async);
      const { acc } = given;
      const type = isKind(acc, "accumulator") ? acc.type.tensor : isTensor(acc) ? acc.type : undefined;
      if (!type || !isBlock(type)) return raise("AttributeError", noAttribute(acc, "handle"));
      const parts = {
        a: handle(given.a),
        b: handle(given.b),
        c: handle(acc),
        useC: useC.handle,
        inputPrecision,
        maxNumImpreciseAcc,
        isAsync,
      };
      const result = emitOp(s, WarpGroupDotOp, parts, [handle(acc).type]).result(0);
      return isAsync ? { kind: "accumulator", handle: result, type: { kind: "accumulator_type", tensor: type } } : tensor(result, type);
    },
  ),
  defineBuiltin("warpgroup_mma_wait", { num_outstanding: 0n, deps: null }, (s, a) => {
    if (unwrap(a.deps) === null) return raise("ValueError", "warpgroup_mma_wait deps must be given");
    const deps = sequence(a.deps);
    const inputs = deps.map(handle);
    const op = emitOp(
      s,
      WarpGroupDotWaitOp,
      { inputs, pendings: Number(unwrap(a.num_outstanding)) },
      inputs.map((v) => v.type),
    );
    const types = deps.map((dep) => {
      const type = typeOf(dep);
      return type.kind === "accumulator_type" ? type.tensor : type;
    });
    const results = unflattenValues([...op.results], types);
    return results.length === 1 ? results[0]! : tuple(results);
  }),
];
