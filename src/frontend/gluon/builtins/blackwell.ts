/** `nvidia.blackwell`: tensor memory, tcgen05, TMA gather and scatter. Source: python/triton/experimental/gluon/language/nvidia/blackwell. */

import { AsyncTokenType } from "../../../dialects/ttg/types.js";
import { TCGen5CommitOp, TCGen5MMAOp, TCGen5MMAScaledOp } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMCopyOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { AsyncTMAGatherOp, AsyncTMAScatterOp } from "../../../dialects/ttng/ops/tma.js";
import type { Value } from "../../../ir/value.js";
import { cgaFromBases } from "../../../layout/encodings/cga.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { getDistributedLayoutForTmemLdSt, type TMemAccessAtom } from "../../../layout/tmem-access.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import { self } from "../../language/builtins/arguments.js";
import { type BuiltinDef, bindArguments, defineBuiltin, REQUIRED } from "../../language/define-builtin.js";
import { check, raise } from "../../language/errors.js";
import { nativeMethod } from "../../language/native-method.js";
import { pyStr, pyTruth } from "../../language/python-text.js";
import { indexValues } from "../../language/semantic/blocks.js";
import { toTensor } from "../../language/semantic/constants.js";
import { emitOp } from "../../language/semantic/emit.js";
import type { Semantic } from "../../language/semantic.js";
import type { BufferType } from "../../language/types.js";
import { isBuffer, isLayout, isTuple, type Layout, type PyValue, unwrap } from "../../language/values.js";
import { basesList, basesOf, ints, itemsOf, numbers } from "../layouts/define-layout.js";
import { DISTRIBUTED_LINEAR } from "../layouts/distributed.js";
import * as sem from "../semantic/buffers.js";
import { expect, listText } from "../semantic/shape.js";
import { buffer, handle, sequence } from "./arguments.js";
import { tensorMemoryLayout } from "./core.js";

const VARIANTS = ["32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2", "32x32b_splitn"];

/** The layout of a tensor that one kind of instruction moves from or to tensor memory. Source: _semantic.py, _compute_tmem_reg_layout. */
function tensorMemoryRegisters(args: Readonly<Record<string, PyValue>>): Layout {
  const variant = args["instr_variant"]!;
  if (typeof variant !== "string") return raise("ValueError", "instr_variant must be a string");
  expect(VARIANTS.includes(variant), () => `unknown instr_variant: ${variant}`);
  const numWarps = args["num_warps"]!;
  expect(typeof numWarps === "bigint", () => `num_warps must be an int but got ${pyStr(numWarps, "type")}`);
  const warps = Number(numWarps);
  expect(warps >= 4 && (warps & (warps - 1)) === 0, () => "num_warps must be a power of two and >= 4");
  const shape = ints(args["shape"]!);
  expect(shape.length === 2, () => "expected a 2D tensor");
  const bases = basesOf(args["cga_layout"]!);
  expect(
    bases.every((basis) => basis.length === 2),
    () => "cga_layout basis rank mismatch",
  );
  const element = sem.dtypeArgument(args["element_ty"]!, "element_ty");
  const layout = args["layout"]!;
  if (!isLayout(layout)) return raise("AttributeError", `'${pyStr(layout, "type")}' object has no attribute '_to_ir'`);
  const splitN = variant === "32x32b_splitn";
  const atom = splitN ? "32x32b" : variant;
  if (atom === "16x32bx2") return raise("ValueError", "Atom 16x32bx2 is inferred implicitly and cannot be requested explicitly");
  const cga = cgaFromBases(bases, 2);
  if (typeof cga === "string") return raise("RuntimeError", cga);
  const found = atLayout(() =>
    getDistributedLayoutForTmemLdSt(toLinearLayout(shape, layout.encoding()!), atom as TMemAccessAtom, warps, element.bits, cga),
  );
  if (!found) return raise("ValueError", `TMEM layout '${atom}' unsupported for shape ${listText(shape)} and num_warps ${warps}`);
  const dims = { reg: "register", lane: "lane", warp: "warp", block: "block" } as const;
  const [reg, lane, warp, block] = Object.values(dims).map((dim) => found.getInDimBases(dim)) as [
    number[][],
    number[][],
    number[][],
    number[][],
  ];
  const made = () => DISTRIBUTED_LINEAR.make([...[reg, lane, warp, block].map(basesList), numbers(found.getOutDimSizes())]);
  if (splitN) splitColumns(reg, lane, warp, shape[1]! / 2, element.bits, () => made().text);
  return made();
}
function atLayout<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof LayoutError) return raise("RuntimeError", error.message);
    throw error;
  }
}
/** The last register of a thread is in the other half of the columns, so that tl.split moves nothing. Changes the bases. */
function splitColumns(reg: number[][], lane: number[][], warp: number[][], half: number, bits: number, text: () => string): void {
  const isHalf = (basis: readonly number[] | undefined): boolean => basis?.[0] === 0 && basis[1] === half;
  if (reg.length === 0) {
    expect(isHalf(lane.at(-1)), () => `splitn with 1 register requires the last lane basis to be [0, N / 2]. Got ${text()}`);
    reg.push([0, half]);
    lane[lane.length - 1] = [0, 0];
    return;
  }
  if (isHalf(reg.at(-1))) return;
  const fewest = Math.trunc(32 / bits);
  expect(
    2 ** reg.length > fewest,
    () =>
      `To be able to \`tmem.load\` into \`tl.split\` you need to have more than ${fewest} ${bits}-bit registers, as you need to use ` +
      'the instruction 32x32b.x1 twice. You can always load into instr_variant="32x32b" and then convert_layout to this layout otherwise.',
  );
  for (const bases of [lane, warp]) {
    const at = bases.findIndex(isHalf);
    if (at < 0) continue;
    [reg[reg.length - 1], bases[at]] = [bases[at]!, reg.at(-1)!];
    return;
  }
  check(false, `splitn requires at least one basis of [0, N / 2]. Got ${text()}`);
}

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
  defineBuiltin("tcgen05_mma", { a: REQUIRED, b: REQUIRED, acc: REQUIRED, ...MMA_OPTIONS }, (s, a) => {
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
  }),
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
  defineBuiltin("tcgen05_commit", { barrier: REQUIRED }, (s, a) => {
    emitOp(s, TCGen5CommitOp, { barrier: handle(a.barrier) });
    return null;
  }),
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
