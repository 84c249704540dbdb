/** The builtins of Gluon that Triton lacks, or that take layouts. Source: python/triton/experimental/gluon/language/_core.py. */

import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import { GatherOp, HistogramOp } from "../../../dialects/tt/ops/gather.js";
import { MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { Fp4ToFpOp } from "../../../dialects/ttg/ops/misc.js";
import { encodingOf, RankedTensorType, tensorType } from "../../../ir/builtin-types.js";
import { bankConflictsMemDesc } from "../../../layout/bank-conflicts.js";
import { minimalCvtLayout } from "../../../layout/conversion.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import { optionalTensor, self, shapeArgument, truth } from "../../language/builtins/arguments.js";
import { type BuiltinDef, defineBuiltin, REQUIRED, raiseMissingArguments } from "../../language/define-builtin.js";
import { check, raise } from "../../language/errors.js";
import { pyStr, pyTypeName, sameLayout, typeName } from "../../language/python-text.js";
import { makeScalar, toTensor } from "../../language/semantic/constants.js";
import { debugBarrier } from "../../language/semantic/debug.js";
import { dot } from "../../language/semantic/dot.js";
import { emit, emitOp, emitOrFold, irType } from "../../language/semantic/emit.js";
import { broadcastValues } from "../../language/semantic/shape.js";
import type { Semantic } from "../../language/semantic.js";
import { type BlockType, blockType, type Dtype, INT1, INT32, isBlock, isInt, toIr } from "../../language/types.js";
import {
  type Buffer,
  constexpr,
  dtypeOf,
  extentsOf,
  isLayout,
  isTensor,
  type Layout,
  type PyValue,
  type Tensor,
  tensor,
  unwrap,
} from "../../language/values.js";
import { hasMember } from "../../language/version-names.js";
import { DISTRIBUTED_LAYOUT } from "../layouts/define-layout.js";
import { BLOCKED, DISTRIBUTED_LINEAR, DOT_OPERAND, isAuto } from "../layouts/distributed.js";
import { layoutOfEncoding } from "../layouts/from-encoding.js";
import * as sem from "../semantic/buffers.js";
import * as indexed from "../semantic/indexed-buffers.js";
import { distributed, distributedLayout, expect, setAutoLayout, withInferredLayout } from "../semantic/shape.js";
import { registersOf } from "../semantic/tensor-memory-registers.js";
import { warpSpecialize } from "../semantic/warp-specialize.js";
import { buffer, layoutArgument, layoutOrAuto, sequence } from "./arguments.js";

function convertLayout(s: Semantic, value: Tensor, layout: Layout, assertTrivial: boolean): Tensor {
  const { element, shape, layout: own } = distributed(value, "convert_layout input");
  const type = blockType(element, shape, layout);
  const ir = irType(s, type);
  if (assertTrivial && !isTrivial(shape, own, layout))
    raise(
      "TypeError",
      `layout conversion from ${own.text} to ${layout.text} is not trivial.\nThe linear layouts are:\n` +
        `${pyStr(constexpr(linearLayoutOf(own, shape)))}\n${pyStr(constexpr(linearLayoutOf(layout, shape)))}`,
    );
  return tensor(emitOp(s, ConvertLayoutOp, { src: value.handle }, [ir]).result(0), type);
}
/** Whether a conversion moves registers at most. Source: gluon_ir.cc, isConvertLayoutTrivial. */
function isTrivial(shape: readonly number[], from: Layout, to: Layout): boolean {
  if (sameLayout(from, to)) return true;
  const [a, b] = [from.encoding(), to.encoding()];
  if (!a || !b) return false;
  const conversion = minimalCvtLayout(toLinearLayout(shape, a), toLinearLayout(shape, b));
  const dims = conversion.getInDims();
  return dims.length === 0 || (dims.length === 1 && dims[0]![0] === "register");
}

/** As a DistributedLinearLayout; AutoLayout and those that are one stay as they are. */
function linearLayoutOf(layout: Layout, shape: readonly number[]): Layout {
  const params = layout.encoding();
  if (isAuto(layout) || layout.cls === DISTRIBUTED_LINEAR || !params) return layout;
  return layoutOfEncoding({ kind: "linear", layout: atShape(() => toLinearLayout(shape, params)) })!;
}
function atShape<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof LayoutError) return raise("RuntimeError", error.message);
    throw error;
  }
}

function bankConflicts(registers: PyValue, shared: PyValue): bigint {
  const isDistributed = (type: PyValue): type is BlockType & { readonly layout: Layout } =>
    type !== null && typeof type === "object" && type.kind === "block" && type.layout !== undefined;
  if (!isDistributed(registers))
    return raise("TypeError", `bank_conflicts expects the register layout to be a distributed_type, got ${pyStr(registers, "type")}`);
  if (shared === null || typeof shared !== "object" || shared.kind !== "buffer_type")
    return raise(
      "TypeError",
      `bank_conflicts expects the shared layout to be a shared_memory_descriptor_type, got ${pyStr(shared, "type")}`,
    );
  const text = (shape: readonly number[]) => `[${shape.join(", ")}]`;
  const { shape } = registers;
  if (text(shape) !== text(shared.shape))
    raise("ValueError", `register shape ${text(shape)} and shared shape ${text(shared.shape)} must match`);
  if (shared.element !== registers.element)
    raise(
      "ValueError",
      `mismatched dtypes between register (${typeName(registers.element)}) and shared (${typeName(shared.element)}) layouts`,
    );
  if (text(shape) !== text(shared.allocShape.slice(-shape.length)))
    raise("ValueError", `bank_conflicts NYI for subslices. Got shape ${text(shape)} and alloc_shape ${text(shared.allocShape)}`);
  const params = registers.layout.encoding() ?? raise("RuntimeError", `${registers.layout.text} is not chosen yet`);
  return atShape(() =>
    BigInt(
      bankConflictsMemDesc(
        toLinearLayout(shape, params),
        toLinearLayout(shape, shared.layout.encoding()!),
        (registers.element as Dtype).bits,
      ),
    ),
  );
}

function histogram(s: Semantic, given: Tensor, bins: number, givenMask: Tensor | undefined, layout: PyValue): Tensor {
  let [input, mask] = [given, givenMask];
  expect(extentsOf(input).length === 1, () => "histogram only supports 1D input");
  expect(isInt(dtypeOf(input)), () => "histogram only supports integer input");
  expect(layout !== null, () => "histogram requires a destination layout");
  if (mask) {
    [mask, input] = broadcastValues(s, mask, input);
    expect(dtypeOf(mask) === INT1, () => "Mask must have boolean scalar type");
  }
  return emit(s, HistogramOp, { src: input.handle, mask: mask?.handle }, blockType(INT32, [bins], layoutArgument(layout)));
}

function gather(s: Semantic, src: Tensor, index: Tensor, given: number): Tensor {
  const typed = (x: Tensor): BlockType => {
    const { type } = x;
    if (isBlock(type) && type.layout) return type;
    return raise("ValueError", `expected distributed_type but got: ${typeName(type)}`);
  };
  const [from, at] = [typed(src).shape, typed(index).shape];
  expect(isInt(dtypeOf(index)), () => `expected integer scalar type but got: ${typeName(dtypeOf(index))}`);
  const rank = from.length;
  expect(at.length === rank, () => "source and index tensors must have the same rank");
  expect(-rank <= given && given < rank, () => `gather axis ${given} must be < source rank (${rank})`);
  const axis = given < 0 ? given + rank : given;
  from.forEach((extent, d) => expect(d === axis || at[d] === extent, () => `index dim ${axis} must match the corresponding source dim`));
  const type = blockType(dtypeOf(src), at, typed(index).layout);
  return emit(s, GatherOp, { src: src.handle, indices: index.handle, axis }, type);
}

function fp4ToFp(s: Semantic, src: Tensor, element: Dtype, axis: number): Tensor {
  const { type } = src.handle;
  if (!RankedTensorType.is(type)) return raise("AttributeError", `'${typeName(src.type)}' object has no attribute 'shape'`);
  const shape = type.params.shape.map((extent, d) => (d === axis ? 2 * extent : extent));
  const encoding = encodingOf(type)!;
  const inferred = layoutRules(encoding).inferFp4ToFpOpEncoding(type.params.shape, axis, encoding, true, (message) =>
    raise("RuntimeError", message),
  );
  const ir = tensorType(shape, toIr(s.ctx, element, s.options), inferred);
  return withInferredLayout(emitOp(s, Fp4ToFpOp, { src: src.handle, axis }, [ir]).result(0), element, shape);
}

/** The operands of a matrix product in registers: their layouts are those of the accumulator's. */
export function checkDotOperands(a: Tensor, b: Tensor, acc: Layout): void {
  [a, b].forEach((x, i) => {
    const name = i === 0 ? "a" : "b";
    const layout = isBlock(x.type) ? x.type.layout : undefined;
    check(layout?.cls === DOT_OPERAND, `${name} must have a DotOperandLayout`);
  });
  [a, b].forEach((x, i) => {
    const { fields } = (x.type as BlockType).layout!;
    const parent = fields.get("parent");
    const name = i === 0 ? "a" : "b";
    check(isLayout(parent) && sameLayout(parent, acc), `${name}'s parent layout must be the same as acc's layout`);
  });
  [a, b].forEach((x, i) => {
    const { fields } = (x.type as BlockType).layout!;
    check(Number(fields.get("operand_index")) === i, `${i === 0 ? "a" : "b"}'s operand index must be ${i}`);
  });
}
export function tensorOperands(values: Readonly<Record<string, PyValue>>): Tensor[] {
  return Object.entries(values).map(([name, value]) => (isTensor(value) ? value : raise("AssertionError", `${name} must be a tensor`)));
}
/** `acc + a * b` of tensors in registers, with the accumulator's type. */
export function dotInto(s: Semantic, [a, b, acc]: readonly [Tensor, Tensor, Tensor], inputPrecision: PyValue): Tensor {
  const out = dot(s, a, b, acc, { inputPrecision, maxNumImpreciseAcc: null, outDtype: dtypeOf(acc) as Dtype });
  return tensor(out.handle, acc.type);
}

const METHODS: readonly BuiltinDef[] = [
  defineBuiltin(
    "load",
    { self: REQUIRED, layout: REQUIRED },
    (s, a) => {
      const from = buffer(a.self);
      const layout = unwrap(a.layout);
      if (from.type.space === "tensor")
        return sem.loadTensorMemory(s, from, layout === null ? registersOf(s, from) : layoutArgument(layout));
      if (a.layout === null) raiseMissingArguments("load", ["layout"]);
      return sem.sharedLoad(s, from, distributedLayout(layout));
    },
    { changes: ({ optionalGluonArguments }) => (optionalGluonArguments ? { layout: null } : {}) },
  ),
  defineBuiltin("get_reg_layout", { self: REQUIRED, num_warps: null, instr_variant: "32x32b" }, (s, a) =>
    constexpr(registersOf(s, buffer(a.self), a.num_warps, a.instr_variant)),
  ),
  defineBuiltin("store", { self: REQUIRED, value: REQUIRED, pred: true }, (s, a) => {
    const to = buffer(a.self);
    if (to.type.space === "shared") sem.sharedStore(s, to, a.value);
    else {
      const pred = makeScalar(s, unwrap(a.pred), INT1);
      sem.storeTensorMemory(s, to, self(a.value), pred);
    }
    return null;
  }),
  defineBuiltin("slice", { self: REQUIRED, start: REQUIRED, length: REQUIRED, dim: 0n }, (s, a) => {
    const of = buffer(a.self);
    const number = (value: PyValue, name: string) =>
      sem.constantInt(value, (text) =>
        of.type.space === "shared" ? `expected '${name}' to be an int but got ${text}` : `${name} must be a constant int`,
      );
    const [start, length] = [number(a.start, "start"), number(a.length, "length")];
    return of.type.space === "shared"
      ? sem.sliceBuffer(s, of, start, length, number(a.dim, "dim"))
      : sem.sliceTensorMemory(s, of, start, length);
  }),
  defineBuiltin("index", { self: REQUIRED, index: REQUIRED }, (s, a) => sem.indexBuffer(s, buffer(a.self), unwrap(a.index))),
  defineBuiltin("permute", { self: REQUIRED, order: REQUIRED }, (s, a) =>
    sem.permuteBuffer(s, buffer(a.self), sem.intList(a.order, "order")),
  ),
  defineBuiltin("reshape", { self: REQUIRED, shape: REQUIRED }, (s, a) =>
    sem.reshapeBuffer(s, buffer(a.self), sem.intList(a.shape, "shape")),
  ),
  defineBuiltin(
    "_reinterpret",
    { self: REQUIRED, dtype: REQUIRED, shape: REQUIRED, layout: REQUIRED },
    (s, a) => {
      const of = buffer(a.self);
      const element = a.dtype === null ? of.type.element : sem.dtypeArgument(a.dtype, "dtype");
      const shape = a.shape === null ? of.type.shape : sem.intList(a.shape, "shape");
      const given = (value: PyValue): Layout => (of.type.space === "shared" ? sem.sharedLayout(unwrap(value)) : tensorMemoryLayout(value));
      const layout = a.layout === null ? of.type.layout : given(a.layout);
      return sem.reinterpretBuffer(s, of, element, shape, layout);
    },
    { changes: ({ optionalGluonArguments }) => (optionalGluonArguments ? { dtype: null, shape: null, layout: null } : {}) },
  ),
  defineBuiltin("gather", { self: REQUIRED, indices: REQUIRED, axis: REQUIRED }, (s, a) =>
    indexed.gather(s, buffer(a.self), unwrap(a.indices), unwrap(a.axis)),
  ),
  defineBuiltin("scatter", { self: REQUIRED, values: REQUIRED, indices: REQUIRED, axis: REQUIRED }, (s, a) => {
    indexed.scatter(s, buffer(a.self), unwrap(a.values), unwrap(a.indices), unwrap(a.axis));
    return null;
  }),
  ...indexed.ATOMIC_KINDS.map((kind) =>
    defineBuiltin(`atomic_scatter_${kind}`, { self: REQUIRED, values: REQUIRED, indices: REQUIRED, axis: REQUIRED, mask: null }, (s, a) => {
      const mask = unwrap(a.mask) === null ? undefined : toTensor(s, a.mask);
      return indexed.atomicScatter(s, kind, buffer(a.self), unwrap(a.values), unwrap(a.indices), unwrap(a.axis), mask);
    }),
  ),
  defineBuiltin("_keep_alive", { self: REQUIRED }, (s, a) => {
    sem.sharedDealloc(s, buffer(a.self));
    return null;
  }),
];
const OF_SHARED = new Set(["load", "store", "slice", "index", "permute", "reshape", "_reinterpret", "_keep_alive"]);
const OF_TENSOR_MEMORY = new Set(["load", "get_reg_layout", "store", "slice", "index", "_reinterpret"]);

/** The method of a buffer that is called so, in this version. */
export function bufferMethod({ ctx }: Semantic, of: Buffer, name: string): BuiltinDef | undefined {
  const isShared = of.type.space === "shared";
  const isThere = (isShared ? OF_SHARED : OF_TENSOR_MEMORY).has(name) || hasMember(bufferClass(of), name, ctx.triton);
  return isThere ? METHODS.find((def) => def.name === name) : undefined;
}
const bufferClass = ({ type }: Buffer): string => `${type.space === "shared" ? "shared" : "tensor"}_memory_descriptor`;

/** The layout of a buffer in tensor memory, which Python asserts. */
export function tensorMemoryLayout(value: PyValue): Layout {
  const plain = unwrap(value);
  if (isLayout(plain) && plain.cls.base === undefined && plain.cls !== DISTRIBUTED_LAYOUT) return plain;
  return raise("AssertionError", "");
}

export const GLUON_CORE: readonly BuiltinDef[] = [
  defineBuiltin("arange", { start: REQUIRED, end: REQUIRED, layout: null }, (s, a) => {
    const [start, end] = [unwrap(a.start), unwrap(a.end)];
    if (typeof start !== "bigint" || typeof end !== "bigint")
      return raise("TypeError", `unsupported operand type(s) for -: '${pyTypeName(end)}' and '${pyTypeName(start)}'`);
    const type = blockType(INT32, [Number(end - start)], layoutOrAuto(a.layout));
    if (start >> 32n !== 0n || end >> 32n !== 0n) raise("ValueError", "arange must fit in int32");
    if (end <= start) raise("ValueError", "arange's end argument must be greater than the start argument");
    return emit(s, MakeRangeOp, { start: Number(start), end: Number(end) }, type);
  }),
  defineBuiltin("full", { shape: REQUIRED, value: REQUIRED, dtype: REQUIRED, layout: null }, (s, a) => {
    const shape = shapeArgument(a.shape);
    const scalar = makeScalar(s, unwrap(a.value), unwrap(a.dtype));
    if (shape.length === 0) return scalar;
    const type = blockType(dtypeOf(scalar), shape, layoutOrAuto(a.layout));
    return tensor(foldedSplat(s, scalar, type), type);
  }),
  defineBuiltin("convert_layout", { value: REQUIRED, layout: REQUIRED, assert_trivial: false }, (s, a) =>
    convertLayout(s, self(a.value), distributedLayout(unwrap(a.layout)), unwrap(a.assert_trivial) === true),
  ),
  defineBuiltin("set_auto_layout", { value: REQUIRED, layout: REQUIRED }, (s, a) => {
    const value = self(a.value);
    const layout = unwrap(a.layout);
    if (!isLayout(layout) || layout.cls.base !== DISTRIBUTED_LAYOUT)
      return raise("ValueError", `set_auto_layout must set to a distributed layout but got ${pyStr(layout)}`);
    return setAutoLayout(s, value, layout);
  }),
  defineBuiltin("histogram", { input: REQUIRED, num_bins: REQUIRED, mask: null, layout: null }, (s, a) => {
    const mask = optionalTensor(s, a.mask);
    return histogram(s, self(a.input), Number(unwrap(a.num_bins)), mask, unwrap(a.layout));
  }),
  defineBuiltin("gather", { src: REQUIRED, index: REQUIRED, axis: REQUIRED }, (s, a) =>
    gather(s, self(unwrap(a.src)), self(unwrap(a.index)), Number(unwrap(a.axis))),
  ),
  defineBuiltin("allocate_shared_memory", { element_ty: REQUIRED, shape: REQUIRED, layout: REQUIRED, value: null }, (s, a) => {
    const element = sem.dtypeArgument(a.element_ty, "element_ty");
    const shape = sem.intList(a.shape, "shape");
    const value = unwrap(a.value);
    return sem.allocateShared(
      s,
      sem.sharedType(element, shape, sem.sharedLayout(unwrap(a.layout))),
      value === null ? undefined : self(value),
    );
  }),
  defineBuiltin("fp4_to_fp", { src: REQUIRED, elem_type: REQUIRED, axis: REQUIRED }, (s, a) =>
    fp4ToFp(s, self(a.src), sem.dtypeArgument(a.elem_type, "elem_type"), Number(unwrap(a.axis))),
  ),
  defineBuiltin(
    "warp_specialize",
    { functions_and_args: REQUIRED, worker_num_warps: REQUIRED, worker_num_regs: REQUIRED },
    (s, a) => {
      const numbers = (value: PyValue) => sequence(value).map((v) => Number(unwrap(v)));
      const registers = unwrap(a.worker_num_regs) === null ? undefined : numbers(a.worker_num_regs);
      return warpSpecialize(s, sequence(a.functions_and_args), numbers(a.worker_num_warps), registers);
    },
    { changes: ({ optionalGluonArguments }) => (optionalGluonArguments ? { worker_num_regs: null } : {}) },
  ),
  defineBuiltin("num_warps", {}, (s) => constexpr(BigInt(s.numWarps))),
  defineBuiltin("num_ctas", {}, (s) => constexpr(BigInt(s.options.numCtas))),
  defineBuiltin("thread_barrier", {}, (s) => {
    debugBarrier(s);
    return null;
  }),
  defineBuiltin("barrier", { cluster: false }, (s, a) => {
    if (truth(a.cluster) && s.options.numCtas > 1) s.rules.clusterBarrier(s);
    else debugBarrier(s);
    return null;
  }),
  defineBuiltin("bank_conflicts", { distr_ty: REQUIRED, shared_ty: REQUIRED }, (_, a) =>
    bankConflicts(unwrap(a.distr_ty), unwrap(a.shared_ty)),
  ),
  defineBuiltin("to_linear_layout", { layout: REQUIRED, shape: REQUIRED }, (_, a) => {
    const layout = unwrap(a.layout);
    if (!isLayout(layout) || layout.cls.base === undefined)
      return raise("ValueError", `Expected a DistributedLayout or SharedLayout, got ${pyStr(layout, "type")}`);
    return constexpr(linearLayoutOf(layout, sem.intList(a.shape, "shape")));
  }),
  defineBuiltin("dot_fma", { a: REQUIRED, b: REQUIRED, acc: REQUIRED }, (s, given) => {
    const [a, b, acc] = tensorOperands(given) as [Tensor, Tensor, Tensor];
    const layout = isBlock(acc.type) ? acc.type.layout : undefined;
    check(layout?.cls === BLOCKED, "acc must have a BlockedLayout");
    checkDotOperands(a, b, layout!);
    const [m = 0, n = 0] = extentsOf(acc);
    const k = extentsOf(a)[1] ?? 0;
    if (m * n * k > 2 ** 19) s.warn(`Large dot FMA instruction size ${m}x${n}x${k} may have slow compile times`);
    return dotInto(s, [a, b, acc], null);
  }),
];

/** A splat folds where its scalar is a constant. */
const foldedSplat = (s: Semantic, scalar: Tensor, type: BlockType) => emitOrFold(s, SplatOp, { src: scalar.handle }, type).handle;
