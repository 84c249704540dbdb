/** Constants, undefined values and addresses of symbols. Source: LLVMOps.td, LLVMDialect.cpp. */
import type { Attribute, Type, TypeOf } from "../../../ir/attribute.js";
import {
  ArrayAttr,
  DenseElementsAttr,
  DenseStringElementsAttr,
  FloatAttr,
  floatAttr,
  IntegerAttr,
  intAttr,
  StringAttr,
  SymbolRefAttr,
  splatOf,
  symbolRef,
  typeOfAttr,
} from "../../../ir/builtin-attrs.js";
import {
  bitWidth,
  elementTypeOrSelf,
  FloatType,
  IndexType,
  IntegerType,
  isShaped,
  numElements,
  VectorType,
} from "../../../ir/builtin-types.js";
import { AnyAttr, FlatSymbolRefAttr } from "../../../ir/constraints.js";
import { defineOp, type FoldResult, type OpReport } from "../../../ir/define-op.js";
import { implement, SymbolUser } from "../../../ir/interfaces.js";
import { typeText } from "../../../ir/text-hook.js";
import { ConstantLike, Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import * as A from "../attrs/index.js";
import { BlockAddressC, BlockTagC } from "../constraints.js";
import { LLVMType, Pointer, TokenType } from "../type-constraints.js";
import { isScalableVector } from "../types/compatible.js";
import { LLVMArrayType, LLVMPointerType, LLVMStructType, LLVMTargetExtType, structElements } from "../types/types.js";

/** The value of a constant, or undefined when it is not known. */
export function constantValueOf(value: Value): Attribute | undefined {
  const op = value.definingOp;
  if (!op?.def.isConstantLike) return undefined;
  const folded = op.def.fold?.(op.def.viewOf(op) as never, []);
  return typeof folded === "object" && "params" in folded ? folded : undefined;
}

const nullary = { results: { res: LLVMType }, traits: [Pure, ConstantLike], format: "attr-dict `:` type($res)" };
export const UndefOp = defineOp("llvm.mlir.undef", () => ({ ...nullary, fold: ({ op }): FoldResult => A.undefAttr(op.ctx) }));
export const PoisonOp = defineOp("llvm.mlir.poison", () => ({ ...nullary, fold: ({ op }): FoldResult => A.poisonAttr(op.ctx) }));
export const ZeroOp = defineOp("llvm.mlir.zero", () => ({
  ...nullary,
  verify({ res }, report) {
    if (LLVMTargetExtType.is(res.type) && !hasZeroInit(res.type.params.extTypeName))
      report.error("target extension type does not support zero-initializer");
  },
  fold: ({ op, res }): FoldResult => builtinZero(res.type) ?? A.zeroAttr(op.ctx),
}));
export const NoneTokenOp = defineOp("llvm.mlir.none", () => ({
  results: { res: TokenType },
  traits: [Pure],
  format: "attr-dict `:` type($res)",
}));

const hasZeroInit = (name: string): boolean => name.startsWith("spirv.") || name === "aarch64.svcount" || name === "amdgcn.named.barrier";

/** The zero that the builtin dialect has an attribute for. */
function builtinZero(type: Type): Attribute | undefined {
  if (IntegerType.is(type) || IndexType.is(type)) return intAttr(type, 0);
  if (FloatType.is(type)) return floatAttr(type, 0);
  if (!VectorType.is(type)) return undefined;
  const element = builtinZero(type.params.elementType);
  return element && splatOf(type, element);
}

export const ConstantOp = defineOp("llvm.mlir.constant", () => ({
  attrs: { value: AnyAttr },
  results: { res: LLVMType },
  traits: [Pure, ConstantLike],
  format: "`(` $value `)` attr-dict `:` type($res)",
  verifyDependsOn: "types and attributes",
  verify: ({ value, res }, report) => verifyConstant(value, res.type, report),
  fold: ({ value }): FoldResult => value,
}));

function verifyConstant(value: Attribute, type: Type, report: OpReport): void {
  if (StringAttr.is(value)) {
    const { length } = value.params.value;
    if (!LLVMArrayType.is(type) || type.params.numElements !== length || bitWidth(type.params.elementType) !== 8)
      report.error(`expected array type of ${length} i8 elements for the string constant`);
    return;
  }
  if (LLVMStructType.is(type)) return verifyStructConstant(value, structElements(type), report);
  if (LLVMTargetExtType.is(type)) return void report.error("does not support target extension type.");
  if (IntegerAttr.is(value)) {
    if (!IntegerType.is(type)) report.error("expected integer type");
  } else if (FloatAttr.is(value)) verifyFloat(value.params.type, type, report);
  else if (DenseElementsAttr.is(value) || DenseStringElementsAttr.is(value)) verifyElements(value, type, report);
  else if (ArrayAttr.is(value)) {
    if (LLVMArrayType.is(type)) verifyArrayConstant(value.params.elements, type, 0, report);
    else report.error("expected array or struct type for array attribute");
  } else report.error("only supports integer, float, string or elements attributes");
}

function verifyStructConstant(value: Attribute, types: readonly Type[], report: OpReport): void {
  if (!ArrayAttr.is(value)) return void report.error("expected array attribute for struct type");
  const { elements } = value.params;
  if (elements.length !== types.length) return void report.error(`expected array attribute of size ${types.length}`);
  for (let i = 0; i < types.length; i++) {
    const type = types[i]!;
    const element = elements[i]!;
    const scalar = FloatType.is(type) || IndexType.is(type) || (IntegerType.is(type) && type.params.signedness === "signless");
    if (!scalar) return void report.error("expected struct element types to be floating point type or integer type");
    if (!FloatAttr.is(element) && !IntegerAttr.is(element))
      return void report.error("expected element of array attribute to be floating point or integer");
    if (typeOfAttr(element) !== type) return void report.error(`struct element at index ${i} is of wrong type`);
  }
}

/** A float constant has that float type, or an integer type as wide (for floats that LLVM does not have). */
function verifyFloat(from: Type, type: Type, report: OpReport): void {
  if (FloatType.is(type)) {
    if (type !== from) report.error("attribute and type have different float semantics");
  } else if (IntegerType.is(type) && type.params.width !== bitWidth(from)) report.error(`expected integer type of width ${bitWidth(from)}`);
}

function verifyElements(value: Attribute, type: Type, report: OpReport): void {
  const from = typeOfAttr(value);
  if (containsScalable(type)) {
    if (!(DenseElementsAttr.is(value) && value.params.splat)) report.error("scalable vector type requires a splat attribute");
    return;
  }
  if (!VectorType.is(type) && !LLVMArrayType.is(type)) return void report.error("expected vector or array type");
  const have = isShaped(from) ? numElements(from.params.shape) : 1;
  const want = countElements(type);
  if (want !== have) return void report.error(`type and attribute have a different number of elements: ${want} vs. ${have}`);
  const element = elementTypeOrSelf(from);
  const target = innermost(type);
  if (FloatType.is(element)) verifyFloat(element, target, report);
  else if (IntegerType.is(element) && !IntegerType.is(target)) report.error("expected integer element type for integer elements attribute");
}
function containsScalable(type: Type): boolean {
  return LLVMArrayType.is(type) ? containsScalable(type.params.elementType) : isScalableVector(type);
}
function countElements(type: Type): number {
  if (VectorType.is(type)) return numElements(type.params.shape) * countElements(type.params.elementType);
  return LLVMArrayType.is(type) ? type.params.numElements * countElements(type.params.elementType) : 1;
}
function innermost(type: Type): Type {
  return LLVMArrayType.is(type) ? innermost(type.params.elementType) : elementTypeOrSelf(type);
}

type ArrayT = TypeOf<typeof LLVMArrayType>;
/** Checks that nested arrays of attributes match nested array types; the innermost are structs or pointers. */
function verifyArrayConstant(elements: readonly Attribute[], type: ArrayT, dim: number, report: OpReport): boolean {
  const { elementType, numElements: size } = type.params;
  const wrong = (message: string): boolean => (report.error(message), false);
  if (size !== elements.length)
    return wrong(`array attribute size does not match array type size in dimension ${dim}: ${elements.length} vs. ${size}`);
  const isVoid = (a: Attribute) => A.ZeroAttr.is(a) || A.UndefAttr.is(a);
  if (LLVMArrayType.is(elementType))
    return elements.every((element, i) => {
      if (isVoid(element)) return true;
      if (ArrayAttr.is(element)) return verifyArrayConstant(element.params.elements, elementType, dim + 1, report);
      return wrong(`nested attribute for sub-array in dimension ${dim} at index ${i} must be a zero, or undef, or array attribute`);
    });
  if (LLVMPointerType.is(elementType))
    return elements.every(
      (element, i) =>
        isVoid(element) ||
        A.PoisonAttr.is(element) ||
        SymbolRefAttr.is(element) ||
        wrong(`pointer array element at index ${i} must be a flat symbol reference, zero, undef, or poison`),
    );
  if (!LLVMStructType.is(elementType)) return wrong("for array with an array attribute must have a struct element type");
  const fields = structElements(elementType).length;
  return elements.every((element, i) => {
    if (isVoid(element)) return true;
    if (!ArrayAttr.is(element))
      return wrong(`nested attribute for struct element at index ${i} must be a zero, or undef, or array attribute`);
    const { length } = element.params.elements;
    return (
      length === fields ||
      wrong(`nested array attribute size for struct element at index ${i} must match struct size: ${length} vs. ${fields}`)
    );
  });
}

// --- symbols ---------------------------------------------------------------------------------

const ADDRESSABLE = ["llvm.mlir.global", "llvm.func", "llvm.mlir.alias", "llvm.mlir.ifunc"];
export const AddressOfOp = defineOp("llvm.mlir.addressof", () => ({
  attrs: { global_name: FlatSymbolRefAttr },
  results: { res: Pointer },
  traits: [Pure, ConstantLike],
  interfaces: [
    implement(SymbolUser, {
      verifySymbolUses(op, lookup, report) {
        const view = AddressOfOp.match(op)!;
        const symbol = lookup(view.global_name);
        if (!symbol || !ADDRESSABLE.includes(symbol.name)) {
          report.error("must reference a global defined by 'llvm.mlir.global', 'llvm.mlir.alias' or 'llvm.func' or 'llvm.mlir.ifunc'");
          return;
        }
        const space = symbol.attr("addr_space");
        const want = IntegerAttr.is(space) ? Number(space.params.value) : 0;
        if (symbol.name === "llvm.mlir.global" && want !== LLVMPointerType.params(view.res.type).addressSpace)
          report.error("pointer address space must match address space of the referenced global or alias");
      },
    }),
  ],
  format: "$global_name attr-dict `:` qualified(type($res))",
  fold: ({ op, global_name }): FoldResult => symbolRef(op.ctx, global_name),
}));

export const DSOLocalEquivalentOp = defineOp("llvm.dso_local_equivalent", () => ({
  attrs: { function_name: FlatSymbolRefAttr },
  results: { res: Pointer },
  traits: [Pure, ConstantLike],
  interfaces: [
    implement(SymbolUser, {
      verifySymbolUses(op, lookup, report) {
        const symbol = lookup(DSOLocalEquivalentOp.match(op)!.function_name);
        if (!symbol || (symbol.name !== "llvm.func" && symbol.name !== "llvm.mlir.alias")) {
          report.error("must reference a global defined by 'llvm.func' or 'llvm.mlir.alias'");
          return;
        }
        const linkage = symbol.attr("linkage");
        if (A.LinkageAttr.is(linkage) && linkage.params.value === "extern_weak")
          report.error("target function with 'extern_weak' linkage not allowed");
      },
    }),
  ],
  format: "$function_name attr-dict `:` qualified(type($res))",
  fold: ({ op, function_name }): FoldResult => A.DSOLocalEquivalentAttr.get(op.ctx, { sym: function_name }),
}));

export const BlockTagOp = defineOp("llvm.blocktag", () => ({ attrs: { tag: BlockTagC }, format: "$tag attr-dict" }));
export const BlockAddressOp = defineOp("llvm.blockaddress", () => ({
  attrs: { block_addr: BlockAddressC },
  results: { res: Pointer },
  traits: [Pure, ConstantLike],
  interfaces: [
    implement(SymbolUser, {
      verifySymbolUses(op, lookup, report) {
        const address = BlockAddressOp.match(op)!.block_addr;
        if (!A.BlockAddressAttr.is(address)) return;
        const { function: name, tag } = address.params;
        const func = SymbolRefAttr.is(name) ? lookup(name.params.root) : undefined;
        if (func?.name !== "llvm.func") return void report.error("must reference a function defined by 'llvm.func'");
        if (!func.walk((inner) => (BlockTagOp.match(inner)?.tag === tag ? "interrupt" : undefined)))
          report.error("expects an existing block label target in the referenced function");
      },
    }),
  ],
  format: "$block_addr attr-dict `:` qualified(type($res))",
  fold: ({ block_addr }): FoldResult => block_addr,
}));

/** For messages. */
export const quotedType = (type: Type): string => `'${typeText(type)}'`;
