/**
 * Constraints for attributes of LLVM ops, with upstream's descriptions.
 * Source: mlir/include/mlir/Dialect/LLVMIR/LLVMOpBase.td.
 */
import type { AttrDef, Attribute } from "../../ir/attribute.js";
import { DenseElementsAttr, FloatAttr, IntegerAttr, i32Attr, StringAttr, SymbolRefAttr } from "../../ir/builtin-attrs.js";
import { floatType, isFloat, isInteger } from "../../ir/builtin-types.js";
import { AnyAttr, type AttrConstraint, type AttrSpec, arrayAttrOf, defaultAttr, i64EnumAttr, optionalAttr } from "../../ir/constraints.js";
import * as A from "./attrs/index.js";

/** An enum kept as its dialect attribute; views read its keyword. */
function dialectEnum<K extends string>(description: string, def: AttrDef<{ readonly value: K }>): AttrConstraint<K> {
  return {
    description,
    test: (a) => def.is(a),
    read: (a) => (a as Attribute<{ readonly value: K }>).params.value,
    write: (ctx, value) => def.get(ctx, { value }),
    stripped: def.name,
  };
}
export const Linkage = dialectEnum("LLVM Linkage specification", A.LinkageAttr);
export const CConv = dialectEnum("LLVM Calling Convention specification", A.CConvAttr);
export const TailCallKind = dialectEnum("LLVM Calling Convention specification", A.TailCallKindAttr);
export const Comdat = i64EnumAttr("Comdat", "LLVM Comdat Types", A.COMDATS);
export const FramePointerKind = dialectEnum("LLVM FramePointerKind specification", A.FramePointerKindAttr);
export const UWTableKind = dialectEnum("LLVM UWTableKind specification", A.UWTableKindAttr);

export const AtomicOrdering = i64EnumAttr("AtomicOrdering", "Atomic ordering for LLVM's memory model", A.ATOMIC_ORDERINGS);
export const AtomicBinOp = i64EnumAttr("AtomicBinOp", "llvm.atomicrmw binary operations", A.ATOMIC_BIN_OPS);
export const ICmpPredicate = i64EnumAttr("ICmpPredicate", "llvm.icmp comparison predicate", A.ICMP_PREDICATES);
export const FCmpPredicate = i64EnumAttr("FCmpPredicate", "llvm.fcmp comparison predicate", A.FCMP_PREDICATES);
export const UnnamedAddr = i64EnumAttr("UnnamedAddr", "LLVM GlobalValue UnnamedAddr", A.UNNAMED_ADDRS);
export const Visibility = i64EnumAttr("Visibility", "LLVM GlobalValue Visibility", A.VISIBILITIES);
export const AsmDialect = i64EnumAttr("AsmDialect", "ATT (0) or Intel (1) asm dialect", { att: 0, intel: 1 });

/** Flags that may make floating-point results less exact; absent ones are not printed. */
export const Fastmath: AttrSpec<number, false> = defaultAttr<number>(
  {
    description: "LLVM fastmath flags",
    test: (a) => A.FastmathFlagsAttr.is(a),
    read: (a) => (a as Attribute<{ readonly bits: number }>).params.bits,
    write: (ctx, bits) => A.FastmathFlagsAttr.get(ctx, { bits }),
    stripped: "llvm.fastmath",
  },
  0,
);
/** `overflow<nsw, nuw>`: 1 for nsw, 2 for nuw. */
export const OverflowFlags: AttrSpec<number, false> = defaultAttr<number>(
  {
    description: "LLVM integer overflow flags",
    test: (a) => A.IntegerOverflowFlagsAttr.is(a),
    read: (a) => (a as Attribute<{ readonly bits: number }>).params.bits,
    write: (ctx, bits) => A.IntegerOverflowFlagsAttr.get(ctx, { bits }),
    spelling: {
      parse(p) {
        if (!p.optKeyword("overflow")) return undefined;
        return A.IntegerOverflowFlagsAttr.get(p.ctx, A.IntegerOverflowFlagsAttr.parse!(p));
      },
      print: (a, p) => `overflow${p.stripped(a)}`,
    },
  },
  0,
);
const NO_WRAP: readonly (readonly [string, number])[] = [
  ["inbounds", 3],
  ["nusw", 2],
  ["nuw", 4],
];
/** `inbounds|nuw`: 2 for nusw, 4 for nuw; inbounds is 3 and implies nusw. */
export const NoWrapFlags: AttrSpec<number, false> = defaultAttr<number>(
  {
    description: "::mlir::LLVM::GEPNoWrapFlags",
    test: (a) => IntegerAttr.is(a) && isInteger(a.params.type, 32),
    read: (a) => Number((a as Attribute<{ readonly value: bigint }>).params.value),
    write: (ctx, bits) => i32Attr(ctx, bits),
    spelling: {
      parse(p) {
        let bits = 0;
        for (let more = true; more; more = p.optPunct("|")) {
          const flag = NO_WRAP.find(([name]) => p.optKeyword(name));
          if (!flag) return bits === 0 ? undefined : p.fail("expected keyword for LLVM GEP no-wrap flags");
          bits |= flag[1];
        }
        return NoWrapFlags.constraint.write!(p.ctx, bits);
      },
      print(a) {
        const bits = NoWrapFlags.constraint.read(a);
        const names = NO_WRAP.filter(([name, bit]) => (bits & bit) === bit && !(name === "nusw" && (bits & 3) === 3));
        return names.map(([name]) => name).join("|");
      },
    },
  },
  0,
);

/** A dialect attribute, which formats write without its `#llvm.mnemonic`. */
const isA = (def: { readonly name: string }, description: string): AttrConstraint<Attribute> => ({
  ...AnyAttr,
  description,
  test: (a) => (a.def as { readonly name: string }) === def,
  stripped: def.name,
});
export const LoopAnnotationC = isA(A.LoopAnnotationAttr, "");
export const DereferenceableC = isA(A.DereferenceableAttr, "LLVM dereferenceable attribute");
export const MemoryEffectsC = isA(A.MemoryEffectsAttr, "LLVM memory effects");
export const ConstantRangeC = isA(A.ConstantRangeAttr, "A range of two integers, corresponding to LLVM's ConstantRange");
export const VScaleRangeC = isA(A.VScaleRangeAttr, "");
export const VecTypeHintC = isA(A.VecTypeHintAttr, "Explicit vectorization compiler hint");
export const TargetFeaturesC = isA(A.TargetFeaturesAttr, "LLVM target features attribute");
export const AliasScopeC = isA(A.AliasScopeAttr, "LLVM dialect alias scope");
export const BlockTagC = isA(A.BlockTagAttr, "");
export const BlockAddressC = isA(A.BlockAddressAttr, "");
export const DILocalVariableC = isA(A.DILocalVariableAttr, "");
export const DILabelC = isA(A.DILabelAttr, "");
export const DIExpressionC: AttrSpec<Attribute, false> = {
  constraint: isA(A.DIExpressionAttr, ""),
  optional: false,
  default: (ctx) => A.DIExpressionAttr.get(ctx, { operations: [] }),
};
export const F64Attr: AttrConstraint<Attribute> = {
  ...AnyAttr,
  description: "64-bit float attribute",
  test: (a) => FloatAttr.is(a) && isFloat(a.params.type, "f64"),
  type: (ctx) => floatType(ctx, "f64"),
};
export const StrArrayAttr = arrayAttrOf("string array attribute", { ...AnyAttr, test: (a) => StringAttr.is(a) });
export const I32ArrayAttr = arrayAttrOf("32-bit integer array attribute", {
  ...AnyAttr,
  test: (a) => IntegerAttr.is(a) && isInteger(a.params.type, 32),
});
export const FlatSymbolRefArrayAttr = arrayAttrOf("flat symbol ref array attribute", {
  ...AnyAttr,
  test: (a) => SymbolRefAttr.is(a) && a.params.nested.length === 0,
});
export const IntElements: AttrConstraint<Attribute> = {
  ...AnyAttr,
  description: "integer elements attribute",
  test: (a) => DenseElementsAttr.is(a),
};
const arrayOf = (d: unknown, what: string) => optionalAttr(arrayAttrOf(what, { ...AnyAttr, test: (a) => (a.def as unknown) === d }));
/** The attributes that memory accesses have for alias analysis. */
export const ALIAS_ATTRS = {
  access_groups: arrayOf(A.AccessGroupAttr, "LLVM dialect access group metadata array"),
  alias_scopes: arrayOf(A.AliasScopeAttr, "LLVM dialect alias scope array"),
  noalias_scopes: arrayOf(A.AliasScopeAttr, "LLVM dialect alias scope array"),
  tbaa: arrayOf(A.TBAATagAttr, "LLVM dialect TBAA tag metadata array"),
} as const;
export const DIGlobalVariableExpressionArray = arrayOf(A.DIGlobalVariableExpressionAttr, "an array of variable expressions");
