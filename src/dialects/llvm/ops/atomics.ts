/** Atomic read-modify-write operations and fences. Source: LLVMOps.td, LLVMDialect.cpp. */
import { IntegerType, i1, VectorType } from "../../../ir/builtin-types.js";
import { AnySignlessInteger, anyOf, I64Attr, optionalAttr, StrAttr, Unit } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { TypesMatchWith } from "../../../ir/traits.js";
import { ATOMIC_ORDERINGS } from "../attrs/index.js";
import { ALIAS_ATTRS, AtomicBinOp, AtomicOrdering } from "../constraints.js";
import { AnyStruct, FixedVector, LLVMFloat, Pointer } from "../type-constraints.js";
import { isCompatibleFloat, isCompatibleVector, isScalableVector } from "../types/compatible.js";
import { structType } from "../types/types.js";
import { isAtomicType } from "./memory.js";

const RMW_TYPE = anyOf(
  "floating point LLVM type or LLVM pointer type or signless integer or LLVM dialect-compatible fixed-length vector type",
  LLVMFloat,
  Pointer,
  AnySignlessInteger,
  FixedVector,
);
const FLOAT_OPS = ["fadd", "fsub", "fmin", "fmax", "fminimum", "fmaximum"];
const isRelaxed = (ordering: keyof typeof ATOMIC_ORDERINGS): boolean => ATOMIC_ORDERINGS[ordering] < ATOMIC_ORDERINGS.monotonic;

export const AtomicRMWOp = defineOp("llvm.atomicrmw", () => ({
  operands: { ptr: Pointer, val: RMW_TYPE },
  attrs: {
    bin_op: AtomicBinOp,
    ordering: AtomicOrdering,
    syncscope: optionalAttr(StrAttr),
    alignment: optionalAttr(I64Attr),
    volatile_: Unit,
    ...ALIAS_ATTRS,
  },
  results: { res: RMW_TYPE },
  traits: [TypesMatchWith("result #0 and operand #1 have the same type", "val", "res", (t) => t)],
  format:
    "(`volatile` $volatile_^)? $bin_op $ptr `,` $val (`syncscope` `(` $syncscope^ `)`)? $ordering attr-dict `:` qualified(type($ptr)) `,` type($val)",
  verify({ bin_op, val: { type }, ordering }, report) {
    if (FLOAT_OPS.includes(bin_op)) {
      if (isCompatibleVector(type) && VectorType.is(type)) {
        if (isScalableVector(type)) report.error("expected LLVM IR fixed vector type");
        else if (!isCompatibleFloat(type.params.elementType)) report.error("expected LLVM IR floating point type for vector element");
      } else if (!isCompatibleFloat(type)) report.error("expected LLVM IR floating point type");
    } else if (bin_op === "xchg") {
      if (!isAtomicType(type)) report.error("unexpected LLVM IR type for 'xchg' bin_op");
    } else if (!(IntegerType.is(type) && [8, 16, 32, 64].includes(type.params.width))) report.error("expected LLVM IR integer type");
    if (isRelaxed(ordering)) report.error("expected at least 'monotonic' ordering");
  },
}));

const CMPXCHG_TYPE = anyOf("signless integer or LLVM pointer type", AnySignlessInteger, Pointer);
export const AtomicCmpXchgOp = defineOp("llvm.cmpxchg", () => ({
  operands: { ptr: Pointer, cmp: CMPXCHG_TYPE, val: CMPXCHG_TYPE },
  attrs: {
    success_ordering: AtomicOrdering,
    failure_ordering: AtomicOrdering,
    syncscope: optionalAttr(StrAttr),
    alignment: optionalAttr(I64Attr),
    weak: Unit,
    volatile_: Unit,
    ...ALIAS_ATTRS,
  },
  results: { res: AnyStruct },
  traits: [
    TypesMatchWith("operand #1 and operand #2 have the same type", "val", "cmp", (t) => t),
    TypesMatchWith("result #0 has an LLVM struct type consisting of the type of operand #2 and a bool", "val", "res", (t) =>
      structType(t.ctx, [t, i1(t.ctx)]),
    ),
  ],
  format:
    "(`weak` $weak^)? (`volatile` $volatile_^)? $ptr `,` $cmp `,` $val (`syncscope` `(` $syncscope^ `)`)? $success_ordering $failure_ordering attr-dict `:` qualified(type($ptr)) `,` type($val)",
  verify({ val, success_ordering, failure_ordering }, report) {
    if (!isAtomicType(val.type)) report.error("unexpected LLVM IR type");
    else if (isRelaxed(success_ordering) || isRelaxed(failure_ordering)) report.error("ordering must be at least 'monotonic'");
    else if (failure_ordering === "release" || failure_ordering === "acq_rel")
      report.error("failure ordering cannot be 'release' or 'acq_rel'");
  },
}));

export const FenceOp = defineOp("llvm.fence", () => ({
  attrs: { ordering: AtomicOrdering, syncscope: optionalAttr(StrAttr) },
  format: "(`syncscope` `(` $syncscope^ `)`)? $ordering attr-dict",
  verify({ ordering }, report) {
    if (ordering === "not_atomic" || ordering === "unordered" || ordering === "monotonic")
      report.error("can be given only acquire, release, acq_rel, and seq_cst orderings");
  },
}));
