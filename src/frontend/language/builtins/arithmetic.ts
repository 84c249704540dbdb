/** Arithmetic by name: `tl.add`, `tl.maximum`, `tl.where`, Python's `min` and `max`. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED, STAR } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { pyTypeName } from "../python-text.js";
import { add, clamp, maximum, minimum, mul, sub, where } from "../semantic/arithmetic.js";
import { cast } from "../semantic/cast.js";
import { toTensor } from "../semantic/constants.js";
import type { Semantic } from "../semantic.js";
import { BFLOAT16, FLOAT32 } from "../types.js";
import {
  constexpr,
  dtypeOf,
  isBlockTensor,
  isIrValue,
  isNumber,
  PROPAGATE_NAN_NONE,
  type PyValue,
  type Tensor,
  unwrap,
} from "../values.js";
import { self, truth } from "./arguments.js";

const sum = (name: string, run: typeof add) =>
  defineBuiltin(name, { x: REQUIRED, y: REQUIRED, sanitize_overflow: true }, (s, a) =>
    run(s, unwrap(a.x), unwrap(a.y), truth(a.sanitize_overflow)),
  );

/** GPUs did not compare bf16, until 3.9. */
const promoteBfloat16 = (s: Semantic, x: Tensor): Tensor => (dtypeOf(x) === BFLOAT16 && !s.rules.keepsBfloat16 ? cast(s, x, FLOAT32) : x);

/** Until 3.9 all arguments are made tensors first, then widened. */
const asOperands = (s: Semantic, values: readonly PyValue[]): readonly PyValue[] =>
  s.rules.keepsBfloat16 ? values.map(unwrap) : values.map((v) => toTensor(s, v)).map((x) => promoteBfloat16(s, x));

type Extremum = typeof maximum;
const extremumOf = (s: Semantic, run: Extremum, x: PyValue, y: PyValue, nan: PyValue): Tensor => {
  const [lhs, rhs] = asOperands(s, [x, y]);
  return run(s, lhs!, rhs!, unwrap(nan));
};
const extremum = (name: string, run: Extremum) =>
  defineBuiltin(name, { x: REQUIRED, y: REQUIRED, propagate_nan: PROPAGATE_NAN_NONE }, (s, a) =>
    extremumOf(s, run, a.x, a.y, a.propagate_nan),
  );

/** The value of an argument that was not given, where None would mean something. */
const NOTHING: PyValue = { kind: "opaque", what: "<nothing>", why: "" };

/** Python's own `max` and `min` in a kernel: of constants at compile time, of tensors pair by pair. */
function builtinExtremum(name: "max" | "min", run: Extremum) {
  return defineBuiltin(`builtin_${name}`, { args: STAR, propagate_nan: NOTHING }, (s, a) => {
    const args = a.args.map(unwrap);
    const given = a.propagate_nan !== NOTHING;
    if (!args.some(isIrValue)) {
      check(!given, `propagate_nan is not supported on builtin ${name}`);
      return constexpr(extremumOfConstants(name, args));
    }
    if (given) s.warn(`passing propagate_nan to builtin ${name} is deprecated, use tl.minimum instead`);
    check(args.length >= 2, "min requires at least 2 values");
    const nan = given ? a.propagate_nan : PROPAGATE_NAN_NONE;
    const result = args.slice(1).reduce((best: PyValue, x) => extremumOf(s, run, best, x, nan), args[0]!);
    const tensor = self(result);
    if (isBlockTensor(tensor))
      s.warn(`builtin ${name} on non-scalar tensor values is deprecated, use tl.${run === maximum ? "maximum" : "minimum"} instead`);
    return tensor;
  });
}
function extremumOfConstants(name: "max" | "min", args: readonly PyValue[]): PyValue {
  const first = args[0];
  const list =
    args.length === 1 && typeof first === "object" && first && (first.kind === "tuple" || first.kind === "list")
      ? first.values.map(unwrap)
      : args;
  const numbers = list.map((x) =>
    isNumber(x) ? x : raise("TypeError", `'${name === "max" ? ">" : "<"}' not supported between instances of '${pyTypeName(x)}' and 'int'`),
  );
  check(!numbers.some((x) => typeof x === "number" && (Number.isNaN(x) || Object.is(x, -0))));
  if (args.length === 1 && list === args) return raise("TypeError", `'${pyTypeName(args[0]!)}' object is not iterable`);
  const value = (x: boolean | bigint | number) => (typeof x === "boolean" ? BigInt(x) : x);
  return numbers.reduce((best, x) => ((name === "max" ? value(x) > value(best) : value(x) < value(best)) ? x : best));
}

export const ARITHMETIC = [
  sum("add", add),
  sum("sub", sub),
  sum("mul", mul),
  extremum("minimum", minimum),
  extremum("maximum", maximum),
  defineBuiltin("clamp", { x: REQUIRED, min: REQUIRED, max: REQUIRED, propagate_nan: PROPAGATE_NAN_NONE }, (s, a) => {
    const [x, min, max] = asOperands(s, [a.x, a.min, a.max]);
    return clamp(s, x!, min!, max!, unwrap(a.propagate_nan));
  }),
  defineBuiltin("where", { condition: REQUIRED, x: REQUIRED, y: REQUIRED }, (s, a) => {
    const condition = toTensor(s, a.condition);
    return where(s, condition, unwrap(a.x), unwrap(a.y));
  }),
  builtinExtremum("max", maximum),
  builtinExtremum("min", minimum),
  defineBuiltin("_promote_bfloat16_to_float32", { t: REQUIRED }, (s, a) => promoteBfloat16(s, self(a.t))),
];
