/** `nvidia.blackwell`: tensor memory, tcgen05, TMA gather and scatter. Source: python/triton/experimental/gluon/language/nvidia/blackwell. */

import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { TCGen5CommitOp, TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMCopyOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMAGatherOp, AsyncTMAScatterOp } from "../../../dialects/ttng/ops/tma.js";
import type { Value } from "../../../ir/value.js";
import { self, truth } from "../../language/builtins/arguments.js";
import { type BuiltinDef, bindArguments, defineBuiltin, REQUIRED } from "../../language/define-builtin.js";
import { check } from "../../language/errors.js";
import { nativeMethod } from "../../language/native-method.js";
import { pyStr, pyTruth } from "../../language/python-text.js";
import { indexValues } from "../../language/semantic/blocks.js";
import { toTensor } from "../../language/semantic/constants.js";
import { emitOp } from "../../language/semantic/emit.js";
import type { Semantic } from "../../language/semantic.js";
import type { BufferType } from "../../language/types.js";
import { EMPTY_TUPLE, isBuffer, isTuple, type PyValue, unwrap } from "../../language/values.js";
import { itemsOf } from "../layouts/define-layout.js";
import * as sem from "../semantic/buffers.js";
import { tensorMemoryRegisters } from "../semantic/tensor-memory-registers.js";
import { buffer, handle, refuseMulticast, sequence } from "./arguments.js";
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
      if (truth(a.multicast)) refuseMulticast();
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
      if (sequence(a.descs).length > 0) refuseMulticast();
      emitOp(s, TCGen5CommitOp, { barrier: handle(a.barrier), pred });
      return null;
    },
    { changes: ({ clusterArguments }) => (clusterArguments ? {} : { pred: undefined, descs: undefined }) },
  ),
];

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
