/**
 * Atomics on elements of shared memory that indices name.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/MemoryOpToLLVM.cpp, LocalAtomicScatterRMWOpConversion.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { voidType } from "../../../dialects/llvm/types/types.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalAtomicScatterRMWOp } from "../../../dialects/ttg/ops/local-scatter.js";
import type { Type } from "../../../ir/attribute.js";
import { DenseElementsAttr } from "../../../ir/builtin-attrs.js";
import { isInteger, type TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { actionRemoveBroadcastedRegs, broadcastAs } from "../../../layout/column-action.js";
import { shareAtomicResults } from "../../ttg-to-llvm/atomic-results.js";
import { freeVariableMasks } from "../../ttg-to-llvm/global-access.js";
import { indexedElements } from "../../ttg-to-llvm/indexed-memory.js";
import { scalarBits } from "../../ttg-to-llvm/ll-builder.js";
import { memDescOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { rmwText } from "./atomics.js";
import { maybeAnd, redundantThreadPredicate } from "./load-store.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder, registerSizeCode } from "./ptx-builder.js";

/** Whether every element is known to be 1 (i32): `inc` adds that. */
function isOnes({ type, definingOp }: Value): boolean {
  const value = ConstantOp.match(definingOp)?.value;
  return (
    isInteger((type as TensorType).params.elementType, 32) && DenseElementsAttr.is(value) && value.params.elements.every((e) => e === 1n)
  );
}

interface Atomic {
  readonly parts: readonly string[];
  readonly element: Type;
  /** The operand's register; none for a constant, which is `text`. */
  readonly value: Value | undefined;
  readonly predicate: Value | undefined;
}
/** The value that was there before. */
function atom({ b }: Lowering, address: Value, { parts, element, value, predicate }: Atomic): Value {
  const ptx = new PtxBuilder();
  const code = registerSizeCode(scalarBits(element), false);
  const old = ptx.output(`=${code}`, { init: true });
  const operands = [old, ptx.address(address, "r"), value ? ptx.input(value, code) : ptx.constant("0xffffffff")];
  ptx.instruction(["atom", "shared", "cta", "relaxed", ...parts], operands, predicate && ptx.input(predicate, "b"));
  return ptx.launch(b, element);
}
/** Nobody asks for what was there before. */
function red({ b, ctx }: Lowering, address: Value, { parts, element, value, predicate }: Atomic): void {
  const ptx = new PtxBuilder();
  const code = registerSizeCode(scalarBits(element), false);
  const operands = [ptx.address(address, "r"), value ? ptx.input(value, code) : ptx.constant("0xffffffff")];
  ptx.instruction(["red", "shared", "cta", "relaxed", ...parts], operands, predicate && ptx.input(predicate, "b"));
  ptx.launch(b, voidType(ctx));
}

export const SHARED_ATOMICS: readonly LoweringRule[] = [
  rule(LocalAtomicScatterRMWOp, ({ op, dst, values, indices, mask, axis, atomic_rmw_op: kind, result }, lo) => {
    const type = memDescOf(dst);
    const element = convertType(type.elementType);
    const { shape, encoding } = (values.type as TensorType).params;
    const full = toLinearLayout(shape, encoding!);
    const unique = actionRemoveBroadcastedRegs(full);
    const own = <T>(list: readonly T[]): readonly T[] => unique.applyToValues(list);
    const object = sharedMemoryObject(lo, dst);
    const at = lo.elements(indices);
    const vals = lo.elements(values);
    const masks = mask && lo.elements(mask);
    const thread = redundantThreadPredicate(lo, freeVariableMasks(values.type));
    const places = [...indexedElements(lo, type, object, unique.apply(full), own(at), axis)];
    const active = masks && own(masks);
    const text = rmwText(kind, element, 1);
    const counts = kind === "add" && isOnes(values);
    const wanted = result.hasUses();
    const results: Value[] = [];
    own(vals).forEach((value, i) => {
      const predicate = maybeAnd(lo, thread, active?.[i]);
      const atomic = { parts: counts ? ["inc", "u32"] : [text.name, text.type], element, value: counts ? undefined : value, predicate };
      const { address } = places[i]!;
      // `red` exchanges nothing.
      if (wanted || kind === "exch") results.push(atom(lo, address, atomic));
      else red(lo, address, atomic);
    });
    if (wanted) shareAtomicResults(lo, op, broadcastAs(results, full), element, thread);
  }),
];
