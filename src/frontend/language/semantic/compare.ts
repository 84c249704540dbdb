/** Comparisons. Source: python/triton/language/semantic.py. */

import type { CmpFPredicate, CmpIPredicate } from "../../../dialects/arith/attrs.js";
import { CmpFOp, CmpIOp } from "../../../dialects/arith/ops/compare.js";
import { raise } from "../errors.js";
import { typeName } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import { INT1, isFloating, isInt, isIntSigned, scalarOf, withElement } from "../types.js";
import type { PyValue, Tensor } from "../values.js";
import { emit } from "./emit.js";
import { promoteOperands } from "./promote.js";

type Comparison = (s: Semantic, x: PyValue, y: PyValue) => Tensor;

function comparison(float: CmpFPredicate, signed: CmpIPredicate, unsigned: CmpIPredicate): Comparison {
  return (s, x, y) => {
    const [lhs, rhs] = promoteOperands(s, x, y);
    const scalar = scalarOf(lhs.type);
    const operands = { lhs: lhs.handle, rhs: rhs.handle };
    const type = withElement(lhs.type, INT1);
    if (isFloating(scalar)) return emit(s, CmpFOp, { ...operands, predicate: float }, type);
    if (isInt(scalar)) return emit(s, CmpIOp, { ...operands, predicate: isIntSigned(scalar) ? signed : unsigned }, type);
    return raise("TypeError", `unexpected type ${typeName(scalar)}`);
  };
}

export const greaterThan = comparison("ogt", "sgt", "ugt");
export const greaterEqual = comparison("oge", "sge", "uge");
export const lessThan = comparison("olt", "slt", "ult");
export const lessEqual = comparison("ole", "sle", "ule");
export const equal = comparison("oeq", "eq", "eq");
export const notEqual = comparison("une", "ne", "ne");
