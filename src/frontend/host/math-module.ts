/** Python's module `math`. Source: The Python Standard Library, "math". */
import { raise } from "../language/errors.js";
import { pyTypeName } from "../language/python-text.js";
import { isNumber, type PyModule, type PyValue } from "../language/values.js";
import { callHost } from "./call.js";
import { computing } from "./objects.js";
import { integer, pyBinary, pyIterate } from "./operators.js";

const number = (value: PyValue | undefined): number =>
  isNumber(value) ? Number(value) : raise("TypeError", `must be real number, not ${pyTypeName(value ?? null)}`);
/** A function of numbers, which raises where JavaScript has NaN or infinity. `hasPole`: it is infinite outside of its domain. */
const real = (name: string, fn: (...args: number[]) => number, hasPole = name.startsWith("log")): PyValue =>
  computing(name, (values) => {
    if (fn.length > 0 && values.length !== fn.length)
      raise(
        "TypeError",
        `math.${name}() takes exactly ${fn.length === 1 ? "one argument" : `${fn.length} arguments`} (${values.length} given)`,
      );
    const args = values.map(number);
    const result = fn(...args);
    if (Number.isNaN(result) && !args.some(Number.isNaN)) raise("ValueError", "math domain error");
    if (Number.isFinite(result) || !args.every(Number.isFinite)) return result;
    return hasPole ? raise("ValueError", "math domain error") : raise("OverflowError", "math range error");
  });
const whole = (name: string, fn: (x: number) => number): PyValue =>
  computing(name, ([x]) => {
    if (typeof x === "bigint") return x;
    const result = fn(number(x));
    if (Number.isNaN(result)) return raise("ValueError", "cannot convert float NaN to integer");
    return Number.isFinite(result) ? BigInt(result) : raise("OverflowError", "cannot convert float infinity to integer");
  });
const test = (name: string, fn: (x: number) => boolean): PyValue => computing(name, ([x]) => fn(number(x)));
function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x < 0n ? -x : x;
}
const lcm = (a: bigint, b: bigint): bigint => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * b);
function isqrt(value: bigint): bigint {
  if (value < 0n) return raise("ValueError", "isqrt() argument must be nonnegative");
  // Newton's method, from above.
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (let next = root; ; root = next) {
    next = (root + value / root) >> 1n;
    if (next >= root) return root;
  }
}
/** `math`'s functions of one number that JavaScript has too. */
const REAL = [
  ...(["sqrt", "cbrt", "exp", "expm1", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"] as const),
  ...(["sinh", "cosh", "tanh", "asinh", "acosh", "atanh"] as const),
];
const log = real("log", (x) => Math.log(x!));
/** Python's `math`. */
export const MATH: PyModule = {
  kind: "module",
  name: "math",
  attrs: new Map<string, PyValue>(
    Object.entries({
      pi: Math.PI,
      e: Math.E,
      tau: 2 * Math.PI,
      inf: Infinity,
      nan: Number.NaN,
      ...Object.fromEntries(REAL.map((name) => [name, real(name, (x) => Math[name](x!))])),
      exp2: real("exp2", (x) => 2 ** x),
      fabs: real("fabs", Math.abs),
      log: computing("log", ([x = null, base], _, host) => {
        const of = (value: PyValue): number => number(callHost(host, log, [value], new Map()));
        if (base === undefined) return of(x);
        return of(base) === 0 ? raise("ZeroDivisionError", "float division by zero") : of(x) / of(base);
      }),
      ceil: whole("ceil", Math.ceil),
      floor: whole("floor", Math.floor),
      trunc: whole("trunc", Math.trunc),
      isqrt: computing("isqrt", ([n = null]) => isqrt(integer(n))),
      pow: real("pow", (x, y) => x ** y, false),
      fmod: real("fmod", (x, y) => x % y),
      hypot: real("hypot", (...values) => values.reduce((a, b) => Math.hypot(a, b), 0)),
      gcd: computing("gcd", (values) => values.reduce<bigint>((a, b) => gcd(a, integer(b)), 0n)),
      lcm: computing("lcm", (values) => values.reduce<bigint>((a, b) => lcm(a, integer(b)), 1n)),
      prod: computing("prod", ([items = null], named) =>
        pyIterate(items).reduce((a, b) => pyBinary("__mul__", a, b), named.get("start") ?? 1n),
      ),
      isnan: test("isnan", Number.isNaN),
      isinf: test("isinf", (x) => Math.abs(x) === Infinity),
      isfinite: test("isfinite", Number.isFinite),
    }),
  ),
};
