/** `nvidia.blackwell`: tensor memory, tcgen05, TMA gather and scatter. Source: python/triton/experimental/gluon/language/nvidia/blackwell. */

import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { CLCGetProgramIdOp, CLCIsCanceledOp, CLCLoadResultOp, CLCTryCancelOp } from "../../../dialects/ttng/ops/clc.js";
import { TCGen5CommitOp, TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMCopyOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMAGatherOp, AsyncTMAScatterOp } from "../../../dialects/ttng/ops/tma.js";
import { intType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { self, truth } from "../../language/builtins/arguments.js";
import { type BuiltinDef, bindArguments, defineBuiltin, REQUIRED } from "../../language/define-builtin.js";
import { check, raise } from "../../language/errors.js";
import { nativeMethod } from "../../language/native-method.js";
import { pyStr, pyTruth } from "../../language/python-text.js";
import { indexValues } from "../../language/semantic/blocks.js";
import { toTensor } from "../../language/semantic/constants.js";
import { emit, emitOp } from "../../language/semantic/emit.js";
import type { Semantic } from "../../language/semantic.js";
import { type BufferType, CLC_RESULT_TYPE, INT1, INT32 } from "../../language/types.js";
import { EMPTY_TUPLE, isBuffer, isTuple, type PyValue, unwrap } from "../../language/values.js";
import { itemsOf } from "../layouts/define-layout.js";
import * as sem from "../semantic/buffers.js";
import { packedArith } from "../semantic/packed-arith.js";
import { tensorMemoryRegisters } from "../semantic/tensor-memory-registers.js";
import { buffer, handle, sequence } from "./arguments.js";
import { tensorMemoryLayout } from "./core.js";

const TMEM_REG_PARAMS = {
  element_ty: REQUIRED,
  shape: REQUIRED,
  layout: REQUIRED,
  num_warps: REQUIRED,
  instr_variant: "32x32b",
  cga_layout: { kind: "tuple", values: [] },
} as const;
export const GET_TMEM_REG_LAYOUT = nativeMethod(
  "get_tmem_reg_layout",
  (args, named) => {
    const bound = bindArguments({ name: "get_tmem_reg_layout", params: TMEM_REG_PARAMS }, args, named) as Readonly<Record<string, PyValue>>;
    return tensorMemoryRegisters(Object.fromEntries(Object.entries(bound).map(([name, value]) => [name, unwrap(value)])));
  },
  true,
);

interface Barriers {
  readonly barriers: readonly Value[];
  readonly preds: readonly Value[];
}
function barriersOf(s: Semantic, mbarriers: PyValue, preds: PyValue): Barriers {
  if (unwrap(mbarriers) === null) {
    check(unwrap(preds) === null);
    return { barriers: [], preds: [] };
  }
  const barriers = sequence(mbarriers).map(handle);
  if (unwrap(preds) !== null) return { barriers, preds: indexValues(s, preds, false) };
  const all = toTensor(s, true).handle;
  return { barriers, preds: barriers.map(() => all) };
}
const FORMATS = ["e2m1", "e4m3", "e5m2"];
function format(value: PyValue, side: string): string {
  const name = unwrap(value);
  check(typeof name === "string" && FORMATS.includes(name), `Unsupported ${side}_format: ${pyStr(name)}`);
  return name;
}
const MMA_OPTIONS = { use_acc: true, pred: true, mbarriers: null, mbarrier_preds: null } as const;

export const BLACKWELL: readonly BuiltinDef[] = [
  defineBuiltin("allocate_tensor_memory", { element_ty: REQUIRED, shape: REQUIRED, layout: REQUIRED, value: null }, (s, a) => {
    const shape = itemsOf(a.shape).map((extent) => Number(unwrap(extent)));
    const value = unwrap(a.value);
    const type: BufferType = {
      kind: "buffer_type",
      space: "tensor",
      element: sem.dtypeArgument(a.element_ty, "element_ty"),
      shape,
      layout: tensorMemoryLayout(a.layout),
      allocShape: shape,
      isTuple: isTuple(unwrap(a.shape)),
    };
    return sem.allocateTensorMemory(s, type, value === null ? undefined : self(value));
  }),
  defineBuiltin("tcgen05_copy", { src: REQUIRED, dst: REQUIRED }, (s, a) => {
    const { src, dst } = a;
    check(isBuffer(src) && src.type.space === "shared", "source must be a shared memory descriptor");
    check(isBuffer(dst) && dst.type.space === "tensor", "destination must be a tensor memory descriptor");
    emitOp(s, TMEMCopyOp, { src: src.handle, dst: dst.handle });
    return null;
  }),
  defineBuiltin(
    "tcgen05_mma",
    { a: REQUIRED, b: REQUIRED, acc: REQUIRED, ...MMA_OPTIONS, multicast: false },
    (s, a) => {
      const useD = toTensor(s, a.use_acc);
      const pred = toTensor(s, a.pred);
      const { barriers, preds } = barriersOf(s, a.mbarriers, a.mbarrier_preds);
      const acc = buffer(a.acc);
      const parts = {
        a: handle(a.a),
        b: handle(a.b),
        d: acc.handle,
        useD: useD.handle,
        pred: pred.handle,
        barriers,
        barrier_preds: preds,
        is_async: barriers.length > 0,
        two_ctas: pyTruth(acc.type.layout.fields.get("two_ctas") ?? false),
        multicast: truth(a.multicast),
      };
      emitOp(s, TCGen5MMAOp, parts, [AsyncTokenType.get(s.ctx, {})]);
      return null;
    },
    { changes: ({ clusterArguments }) => (clusterArguments ? {} : { multicast: undefined }) },
  ),
  defineBuiltin(
    "tcgen05_mma_scaled",
    {
      a: REQUIRED,
      b: REQUIRED,
      acc: REQUIRED,
      a_scale: REQUIRED,
      b_scale: REQUIRED,
      a_type: REQUIRED,
      b_type: REQUIRED,
      ...MMA_OPTIONS,
    },
    (s, a) => {
      const useD = toTensor(s, a.use_acc);
      const pred = toTensor(s, a.pred);
      const { barriers, preds } = barriersOf(s, a.mbarriers, a.mbarrier_preds);
      const parts = {
        a: handle(a.a),
        b: handle(a.b),
        d: handle(a.acc),
        a_scale: handle(a.a_scale),
        b_scale: handle(a.b_scale),
        a_type: format(a.a_type, "lhs"),
        b_type: format(a.b_type, "rhs"),
        useD: useD.handle,
        pred: pred.handle,
        barriers,
        barrier_preds: preds,
        is_async: barriers.length > 0,
      };
      emitOp(s, TCGen5MMAScaledOp, parts, [AsyncTokenType.get(s.ctx, {})]);
      return null;
    },
  ),
  defineBuiltin(
    "tcgen05_commit",
    { barrier: REQUIRED, pred: true, descs: EMPTY_TUPLE },
    (s, a) => {
      const pred = s.rules.clusterArguments ? toTensor(s, a.pred).handle : undefined;
      emitOp(s, TCGen5CommitOp, { barrier: handle(a.barrier), pred, descs: sequence(a.descs).map(handle) });
      return null;
    },
    { changes: ({ clusterArguments }) => (clusterArguments ? {} : { pred: undefined, descs: undefined }) },
  ),
];

/** `add2` and the like. */
export const PACKED_ARITH: readonly BuiltinDef[] = ["add", "sub", "mul", "fma", "min", "max"].map((kind) => packedBuiltin(kind, 2));
/** `add4` and the like, of Rubin. */
export const PACKED_BY_FOUR: readonly BuiltinDef[] = ["add", "sub", "mul", "fma"].map((kind) => packedBuiltin(kind, 4));
function packedBuiltin(kind: string, lanes: 2 | 4): BuiltinDef {
  return kind === "fma"
    ? defineBuiltin(`fma${lanes}`, { lhs: REQUIRED, rhs: REQUIRED, acc: REQUIRED, dtype: null }, (s, a) =>
        packedArith(s, kind, [a.lhs, a.rhs, a.acc], unwrap(a.dtype)),
      )
    : defineBuiltin(`${kind}${lanes}`, { lhs: REQUIRED, rhs: REQUIRED, dtype: null }, (s, a) =>
        packedArith(s, kind, [a.lhs, a.rhs], unwrap(a.dtype)),
      );
}

/** `blackwell.clc`: a running cluster takes over one that has not been launched. */
export const CLC: readonly BuiltinDef[] = [
  defineBuiltin("try_cancel", { result: REQUIRED, barrier: REQUIRED }, (s, a) => {
    emitOp(s, CLCTryCancelOp, { result: handle(a.result), mbarrier: handle(a.barrier) });
    return null;
  }),
  defineBuiltin("load_result", { src: REQUIRED }, (s, a) => {
    const op = emitOp(s, CLCLoadResultOp, { src: handle(a.src) }, [intType(s.ctx, 128)]);
    return { kind: "clc_result", handle: op.result(0), type: CLC_RESULT_TYPE };
  }),
];
const CLC_METHODS: readonly BuiltinDef[] = [
  defineBuiltin("is_canceled", { self: REQUIRED }, (s, a) => emit(s, CLCIsCanceledOp, { clcResult: handle(a.self) }, INT1)),
  defineBuiltin("program_id", { self: REQUIRED, dim: REQUIRED }, (s, a) => {
    const dim = DIMS[Number(unwrap(a.dim))] ?? raise("RuntimeError", "program_id must be 0, 1, or 2");
    return emit(s, CLCGetProgramIdOp, { clcResult: handle(a.self), dim }, INT32);
  }),
];
const DIMS = ["x", "y", "z"];
/** The method of a response that is called so. */
export const clcMethod = (name: string): BuiltinDef | undefined => CLC_METHODS.find((def) => def.name === name);

export const BLACKWELL_TMA: readonly BuiltinDef[] = [
  defineBuiltin(
    "async_gather",
    { tensor_desc: REQUIRED, x_offsets: REQUIRED, y_offset: REQUIRED, barrier: REQUIRED, result: REQUIRED, pred: true },
    (s, a) => {
      const pred = toTensor(s, a.pred);
      const y_offset = toTensor(s, a.y_offset).handle;
      const parts = { desc: handle(a.tensor_desc), x_offsets: handle(a.x_offsets), y_offset };
      emitOp(s, AsyncTMAGatherOp, { ...parts, barrier: handle(a.barrier), result: handle(a.result), pred: pred.handle });
      return null;
    },
  ),
  defineBuiltin("async_scatter", { tensor_desc: REQUIRED, x_offsets: REQUIRED, y_offset: REQUIRED, src: REQUIRED }, (s, a) => {
    const y_offset = toTensor(s, a.y_offset).handle;
    emitOp(s, AsyncTMAScatterOp, { desc: handle(a.tensor_desc), x_offsets: handle(a.x_offsets), y_offset, src: handle(a.src) });
    return null;
  }),
];
