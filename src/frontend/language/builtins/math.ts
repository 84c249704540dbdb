/** Functions of floats. Source: python/triton/language/math.py. */

import { AndIOp } from "../../../dialects/arith/ops/bitwise.js";
import {
  AbsFOp,
  CeilOp,
  CosOp,
  ErfOp,
  Exp2Op,
  ExpOp,
  FloorOp,
  FmaOp,
  Log2Op,
  LogOp,
  RsqrtOp,
  SinOp,
  SqrtOp,
} from "../../../dialects/math/ops/float.js";
import { AbsIOp } from "../../../dialects/math/ops/integer.js";
import { MulhiUIOp, PreciseDivFOp, PreciseSqrtOp } from "../../../dialects/tt/ops/arithmetic.js";
import type { OpDef } from "../../../ir/define-op.js";
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { typeName } from "../python-text.js";
import { fdiv } from "../semantic/arithmetic.js";
import { makeScalar, toTensor } from "../semantic/constants.js";
import { emit, emitBinary } from "../semantic/emit.js";
import { promoteOperands, promoteThree } from "../semantic/promote.js";
import { splat } from "../semantic/shape.js";
import type { Semantic } from "../semantic.js";
import { FLOAT8E4B15, INT8, isFloating, isInt, isIntSigned } from "../types.js";
import { dtypeOf, extentsOf, isTensor, type PyValue, type Tensor } from "../values.js";
import { numberOrTensor, truth } from "./arguments.js";

/** Tensors among the arguments must have one of these dtypes; numbers are not looked at. */
function checkDtypes(args: Readonly<Record<string, PyValue>>, dtypes: readonly string[]): void {
  for (const arg of Object.values(args)) {
    if (!isTensor(arg)) continue;
    const name = typeName(dtypeOf(arg));
    if (!dtypes.includes(name)) raise("ValueError", `Expected dtype [${dtypes.map((d) => `'${d}'`).join(", ")}] but got ${name}`);
  }
}
const FLOATS = ["fp32", "fp64"];
const INTEGERS = ["int32", "int64", "uint32", "uint64"];

const unary = (name: string, def: OpDef, dtypes: readonly string[] | undefined) =>
  defineBuiltin(name, { x: REQUIRED }, (s, a) => {
    if (dtypes) checkDtypes(a, dtypes);
    const x = toTensor(s, a.x);
    return emit(s, def, { operand: x.handle, x: x.handle }, x.type);
  });
const binary = (name: string, def: OpDef, dtypes: readonly string[]) =>
  defineBuiltin(name, { x: REQUIRED, y: REQUIRED }, (s, a) => {
    checkDtypes(a, dtypes);
    const x = numberOrTensor(s, a.x);
    const [lhs, rhs] = promoteOperands(s, x, numberOrTensor(s, a.y));
    return emit(s, def, { x: lhs.handle, y: rhs.handle }, lhs.type);
  });

const UNARY: readonly (readonly [string, OpDef, (readonly string[])?])[] = [
  ["exp", ExpOp],
  ["exp2", Exp2Op],
  ["log", LogOp],
  ["log2", Log2Op],
  ["cos", CosOp],
  ["sin", SinOp],
  ["sqrt", SqrtOp],
  ["sqrt_rn", PreciseSqrtOp, ["fp32"]],
  ["rsqrt", RsqrtOp],
  ["erf", ErfOp],
  ["floor", FloorOp],
  ["ceil", CeilOp],
];

const ABS = defineBuiltin("abs", { x: REQUIRED }, (s, a) => {
  const x = toTensor(s, a.x);
  const type = dtypeOf(x);
  if (type === FLOAT8E4B15) {
    // Its bits are an integer in the IR: the sign is masked out.
    const mask = splat(s, makeScalar(s, 0x7fn, INT8), extentsOf(x));
    return emitBinary(s, AndIOp, x, mask);
  }
  if (isFloating(type)) return emit(s, AbsFOp, { operand: x.handle }, x.type);
  check(isInt(type), `Unexpected dtype ${typeName(type)}`);
  return isIntSigned(type) ? emit(s, AbsIOp, { operand: x.handle }, x.type) : x;
});

/** The factors are made alike, then the sum and each of them. */
function promoteWithSum(s: Semantic, [a, b, sum]: readonly [PyValue, PyValue, PyValue]): readonly [Tensor, Tensor, Tensor] {
  const [first, second] = promoteOperands(s, a, b);
  const [third, x] = promoteOperands(s, sum, first);
  const [z, y] = promoteOperands(s, third, second);
  return [x, y, z];
}

/** As methods of tensors these functions take any dtype. */
export const MATH_METHODS: readonly BuiltinDef[] = [...UNARY.map(([name, def]) => unary(name, def, undefined)), ABS];

export const MATH: readonly BuiltinDef[] = [
  ...UNARY.map(([name, def, dtypes = FLOATS]) => unary(name, def, dtypes)),
  ABS,
  binary("umulhi", MulhiUIOp, INTEGERS),
  binary("div_rn", PreciseDivFOp, ["fp32"]),
  defineBuiltin("fdiv", { x: REQUIRED, y: REQUIRED, ieee_rounding: false }, (s, a) => {
    const x = numberOrTensor(s, a.x);
    return fdiv(s, x, numberOrTensor(s, a.y), truth(a.ieee_rounding));
  }),
  defineBuiltin("fma", { x: REQUIRED, y: REQUIRED, z: REQUIRED }, (s, a) => {
    const given = [a.x, a.y, a.z].map((v) => numberOrTensor(s, v)) as [PyValue, PyValue, PyValue];
    const [x, y, z] = s.rules.typesNumbersLast ? promoteThree(s, given) : promoteWithSum(s, given);
    return emit(s, FmaOp, { a: x.handle, b: y.handle, c: z.handle }, x.type);
  }),
];
