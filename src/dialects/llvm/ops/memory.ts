/** Addresses, loads and stores. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOps.td, LLVMDialect.cpp. */
import type { Type } from "../../../ir/attribute.js";
import { IntegerAttr, i32ArrayAttr, typeAttr, unitAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, FunctionType, IntegerType, VectorType } from "../../../ir/builtin-types.js";
import {
  AnySignlessInteger,
  DenseI32ArrayAttr,
  defaultAttr,
  I64Attr,
  optionalAttr,
  StrAttr,
  TypeAttrC,
  Unit,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type MemoryEffect, type OpReport } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { ALIAS_ATTRS, AtomicOrdering, DereferenceableC, NoWrapFlags } from "../constraints.js";
import { IntOrVector, LoadableType, Pointer, PointerOrVector } from "../type-constraints.js";
import { isCompatibleFloat } from "../types/compatible.js";
import { LLVMArrayType, LLVMPointerType, LLVMStructType, LLVMTargetExtType, structElements } from "../types/types.js";

export const AllocaOp = defineOp("llvm.alloca", () => ({
  operands: { arraySize: AnySignlessInteger },
  attrs: { alignment: optionalAttr(I64Attr), elem_type: TypeAttrC, inalloca: Unit },
  results: { res: Pointer },
  effects: ({ res }) => [{ kind: "allocate", value: res, resource: "AutomaticAllocationScope" }],
  parse(p) {
    if (p.optKeyword("inalloca")) p.setAttr("inalloca", unitAttr(p.ctx));
    const size = p.operand();
    p.keyword("x");
    p.setAttr("elem_type", typeAttr(p.type()));
    p.optAttrDict();
    p.punct(":");
    const at = p.pos;
    const type = p.type();
    const [input, ...inputs] = FunctionType.is(type) ? type.params.inputs : [];
    const [result, ...results] = FunctionType.is(type) ? type.params.results : [];
    if (!input || !result || inputs.length > 0 || results.length > 0)
      return p.fail("custom op 'llvm.alloca' expected trailing function type with one argument and one result", at, "parse.type");
    const zero = p.state.attrs.findIndex(([name, attr]) => name === "alignment" && IntegerAttr.is(attr) && attr.params.value === 0n);
    if (zero >= 0) p.state.attrs.splice(zero, 1);
    p.state.operands.push(p.resolve(size, input));
    p.state.types.push(result);
  },
  print({ op, arraySize, elem_type, inalloca, alignment, res }, p) {
    p.write(`${inalloca ? " inalloca" : ""} ${p.value(arraySize)} x ${p.type(elem_type)}`);
    p.optAttrDict(op, alignment ? ["elem_type", "inalloca"] : ["alignment", "elem_type", "inalloca"]);
    p.write(` : ${p.functionType([arraySize.type], [res.type])}`);
  },
  verify({ elem_type }, report) {
    if (LLVMTargetExtType.is(elem_type) && !elem_type.params.extTypeName.startsWith("spirv."))
      report.error("this target extension type cannot be used in alloca");
  },
}));

/** In `rawConstantIndices` the place of an index that is an operand. */
export const DYNAMIC_INDEX = -2147483648;

export const GEPOp = defineOp("llvm.getelementptr", () => ({
  operands: { base: PointerOrVector, dynamicIndices: variadic(IntOrVector) },
  attrs: { rawConstantIndices: DenseI32ArrayAttr, elem_type: TypeAttrC, noWrapFlags: NoWrapFlags },
  results: { res: PointerOrVector },
  traits: [Pure],
  format:
    "($noWrapFlags^)? $base `[` custom<GEPIndices>($dynamicIndices, $rawConstantIndices) `]` attr-dict `:` functional-type(operands, results) `,` $elem_type",
  verifyDependsOn: "types and attributes",
  verify({ rawConstantIndices, dynamicIndices, elem_type, noWrapFlags }, report) {
    const dynamic = rawConstantIndices.reduce((n, index) => n + (index === DYNAMIC_INDEX ? 1 : 0), 0);
    if (dynamic !== dynamicIndices.length) report.error("expected as many dynamic indices as specified in 'rawConstantIndices'");
    else if (noWrapFlags === 1) report.error("'inbounds_flag' cannot be used directly.");
    else verifyIndices(elem_type, rawConstantIndices, report);
  },
  // A single zero index changes nothing; indices that are constants become part of the op.
  fold({ op, base, res, rawConstantIndices, dynamicIndices, elem_type }, constants): FoldResult {
    let next = 0;
    const indices = rawConstantIndices.map((index): number | { readonly value: Value; readonly constant: bigint | undefined } => {
      if (index !== DYNAMIC_INDEX) return index;
      const constant = constants[1 + next];
      return { value: dynamicIndices[next++]!, constant: IntegerAttr.is(constant) ? constant.params.value : undefined };
    });
    const isZero = (i: (typeof indices)[number]) => (typeof i === "number" ? i === 0 : i.constant === 0n);
    if (base.type === res.type && indices.length === 1 && isZero(indices[0]!)) return base;

    const raw: number[] = [];
    const dynamic: Value[] = [];
    for (const index of indices) {
      if (typeof index === "number") raw.push(index);
      else if (
        index.constant !== undefined &&
        BigInt.asIntN(32, index.constant) === index.constant &&
        index.constant !== BigInt(DYNAMIC_INDEX)
      )
        raw.push(Number(index.constant));
      else {
        raw.push(DYNAMIC_INDEX);
        dynamic.push(index.value);
      }
    }
    if (dynamic.length === dynamicIndices.length) return undefined;
    void elem_type;
    op.setOperands([base, ...dynamic]);
    op.setAttr("rawConstantIndices", i32ArrayAttr(op.ctx, raw));
    return "inPlace";
  },
}));

/** The first index steps over whole elements; the others go into the element type, structs by constants only. */
function verifyIndices(elementType: Type, indices: readonly number[], report: OpReport): void {
  let type = elementType;
  for (let i = 1; i < indices.length; i++) {
    const index = indices[i]!;
    if (LLVMStructType.is(type)) {
      if (index === DYNAMIC_INDEX) return void report.error(`expected index ${i} indexing a struct to be constant`);
      const inner: Type | undefined = structElements(type)[index];
      if (!inner) return void report.error(`index ${i} indexing a struct is out of bounds`);
      type = inner;
    } else if (VectorType.is(type) || LLVMArrayType.is(type)) type = type.params.elementType;
    else return void report.error(`type '${typeText(type)}' cannot be indexed (index #${i})`);
  }
}

// --- loads and stores ------------------------------------------------------------------------

export const LoadOp = defineOp("llvm.load", () => ({
  operands: { addr: Pointer },
  attrs: {
    alignment: optionalAttr(I64Attr),
    volatile_: Unit,
    nontemporal: Unit,
    invariant: Unit,
    invariantGroup: Unit,
    ordering: defaultAttr(AtomicOrdering, "not_atomic"),
    syncscope: optionalAttr(StrAttr),
    dereferenceable: optionalAttr(DereferenceableC),
    ...ALIAS_ATTRS,
  },
  results: { res: LoadableType },
  format:
    "(`volatile` $volatile_^)? $addr (`atomic` (`syncscope` `(` $syncscope^ `)`)? $ordering^)? (`invariant` $invariant^)? (`invariant_group` $invariantGroup^)? (`dereferenceable` `` $dereferenceable^)? attr-dict `:` qualified(type($addr)) `->` type($res)",
  effects: ({ addr, volatile_, ordering }) => [{ kind: "read", value: addr }, ...orderedEffects(volatile_, ordering)],
  verifyDependsOn: "types and attributes",
  verify: ({ res, ordering, alignment, syncscope }, report) =>
    verifyAtomic(res.type, ordering, ["release", "acq_rel"], alignment, syncscope, report),
}));
export const StoreOp = defineOp("llvm.store", () => ({
  operands: { value: LoadableType, addr: Pointer },
  attrs: {
    alignment: optionalAttr(I64Attr),
    volatile_: Unit,
    nontemporal: Unit,
    invariantGroup: Unit,
    ordering: defaultAttr(AtomicOrdering, "not_atomic"),
    syncscope: optionalAttr(StrAttr),
    ...ALIAS_ATTRS,
  },
  format:
    "(`volatile` $volatile_^)? $value `,` $addr (`atomic` (`syncscope` `(` $syncscope^ `)`)? $ordering^)? (`invariant_group` $invariantGroup^)? attr-dict `:` type($value) `,` qualified(type($addr))",
  effects: ({ addr, volatile_, ordering }) => [{ kind: "write", value: addr }, ...orderedEffects(volatile_, ordering)],
  verifyDependsOn: "types and attributes",
  verify: ({ value, ordering, alignment, syncscope }, report) =>
    verifyAtomic(value.type, ordering, ["acquire", "acq_rel"], alignment, syncscope, report),
}));

/** Volatile accesses and ordered atomics may touch any memory. */
function orderedEffects(isVolatile: boolean, ordering: string): MemoryEffect[] {
  return isVolatile || (ordering !== "not_atomic" && ordering !== "unordered") ? [{ kind: "write" }, { kind: "read" }] : [];
}

/** Whether values of the type can be accessed atomically: integers, floats, pointers of 8, 16, ... bits. */
export function isAtomicType(type: Type): boolean {
  if (LLVMPointerType.is(type)) return true;
  if (!IntegerType.is(type) && !isCompatibleFloat(type)) return false;
  const width = bitWidth(type) ?? 128;
  return width >= 8 && Number.isInteger(Math.log2(width));
}
function verifyAtomic(
  type: Type,
  ordering: string,
  unsupported: readonly string[],
  alignment: number | undefined,
  syncscope: string | undefined,
  report: OpReport,
): void {
  if (ordering === "not_atomic") {
    if (syncscope !== undefined) report.error("expected syncscope to be null for non-atomic access");
  } else if (!isAtomicType(type)) report.error(`unsupported type '${typeText(type)}' for atomic access`);
  else if (unsupported.includes(ordering)) report.error(`unsupported ordering '${ordering}'`);
  else if (!alignment) report.error("expected alignment for atomic access");
}
