/**
 * The flags and modes of arith (and math) ops. Flags read as sets of bits: `fastmath & FAST_MATH.nnan`.
 * Source: mlir/include/mlir/Dialect/Arith/IR/ArithBase.td.
 */
import type { AttrParser } from "../../ir/asm.js";
import { type AttrDef, type Attribute, defineAttr } from "../../ir/attribute.js";
import { type AttrConstraint, i32EnumAttr, i64EnumAttr } from "../../ir/constraints.js";

interface Flags {
  readonly flags: number;
}
type FlagTable = Readonly<Record<string, number>>;

/** Flags by name; `fast` is all of them. */
export const FAST_MATH = { none: 0, reassoc: 1, nnan: 2, ninf: 4, nsz: 8, arcp: 16, contract: 32, afn: 64, fast: 127 } as const;
export const OVERFLOW = { none: 0, nsw: 1, nuw: 2 } as const;

function parseFlags(p: AttrParser, enumName: string, table: FlagTable): Flags {
  let flags = 0;
  p.punct("<");
  do {
    const at = p.pos;
    const word = p.optString() ?? p.optAnyKeyword();
    if (word === undefined) p.fail("expected valid keyword or string", at, "parse.enum");
    const flag = Object.hasOwn(table, word) ? table[word]! : undefined;
    if (flag === undefined) p.fail(`expected ${enumName} to be one of: ${Object.keys(table).join(", ")}`, at, "parse.enum");
    flags |= flag;
  } while (p.optPunct(","));
  p.punct(">");
  return { flags };
}

function printFlags({ flags }: Flags, table: FlagTable, separator: string): string {
  const names: string[] = [];
  let rest = flags;
  // Groups are after the single flags in the table and win over them.
  for (const name of Object.keys(table).reverse()) {
    const bits = table[name]!;
    if (bits !== 0 && (bits & (bits - 1)) !== 0 && (rest & bits) === bits) {
      names.push(name);
      rest &= ~bits;
    }
  }
  for (const name of Object.keys(table)) {
    const bits = table[name]!;
    if (bits !== 0 && (bits & (bits - 1)) === 0 && (rest & bits) !== 0) names.push(name);
  }
  return `<${names.length > 0 ? names.join(separator) : "none"}>`;
}

/** `#arith.fastmath<nnan,contract>` */
export const FastMathAttr = defineAttr<Flags>("arith.fastmath", {
  parse: (p) => parseFlags(p, "::mlir::arith::FastMathFlags", FAST_MATH),
  print: (params) => printFlags(params, FAST_MATH, ","),
});
/** `#arith.overflow<nsw, nuw>` */
export const IntegerOverflowAttr = defineAttr<Flags>("arith.overflow", {
  parse: (p) => parseFlags(p, "::mlir::arith::IntegerOverflowFlags", OVERFLOW),
  print: (params) => printFlags(params, OVERFLOW, ", "),
});

function flagsConstraint(description: string, def: AttrDef<Flags>): AttrConstraint<number> {
  return {
    description,
    test: (a) => def.is(a),
    read: (a) => (a as Attribute<Flags>).params.flags,
    write: (ctx, flags) => def.get(ctx, { flags }),
    stripped: def.name,
  };
}
export const FastMathC = flagsConstraint("Floating point fast math flags", FastMathAttr);
export const IntegerOverflowC = flagsConstraint("Integer overflow arith flags", IntegerOverflowAttr);

export const RoundingModeC = i32EnumAttr("RoundingMode", "Floating point rounding mode", {
  to_nearest_even: 0,
  downward: 1,
  upward: 2,
  toward_zero: 3,
  to_nearest_away: 4,
});

export const CmpIPredicateC = i64EnumAttr("CmpIPredicate", "", {
  eq: 0,
  ne: 1,
  slt: 2,
  sle: 3,
  sgt: 4,
  sge: 5,
  ult: 6,
  ule: 7,
  ugt: 8,
  uge: 9,
});
export type CmpIPredicate = ReturnType<typeof CmpIPredicateC.read>;
/** The predicate of `b ? a` for that of `a ? b`. */
export const SWAPPED_CMPI: Readonly<Record<CmpIPredicate, CmpIPredicate>> = {
  eq: "eq",
  ne: "ne",
  slt: "sgt",
  sle: "sge",
  sgt: "slt",
  sge: "sle",
  ult: "ugt",
  ule: "uge",
  ugt: "ult",
  uge: "ule",
};
/** The predicate that holds where the given one does not. */
export const INVERTED_CMPI: Readonly<Record<CmpIPredicate, CmpIPredicate>> = {
  eq: "ne",
  ne: "eq",
  slt: "sge",
  sle: "sgt",
  sgt: "sle",
  sge: "slt",
  ult: "uge",
  ule: "ugt",
  ugt: "ule",
  uge: "ult",
};

export const CmpFPredicateC = i64EnumAttr("CmpFPredicate", "", {
  false: 0,
  oeq: 1,
  ogt: 2,
  oge: 3,
  olt: 4,
  ole: 5,
  one: 6,
  ord: 7,
  ueq: 8,
  ugt: 9,
  uge: 10,
  ult: 11,
  ule: 12,
  une: 13,
  uno: 14,
  true: 15,
});
export type CmpFPredicate = ReturnType<typeof CmpFPredicateC.read>;
