/** Python's module `math`. Source: The Python Standard Library, "math". */
import { raise } from "../language/errors.js";
import { pyTypeName } from "../language/python-text.js";
import { isNumber, type PyModule, type PyValue } from "../language/values.js";
import { callHost } from "./call.js";
import { computing } from "./objects.js";
import { integer, pyBinary, pyIterate } from "./operators.js";

const number = (value: PyValue | undefined): number =>
  isNumber(value) ? Number(value) : raise("TypeError", `must be real number, not ${pyTypeName(value ?? null)}`);
const real = (name: string, fn: (x: number) => number): PyValue =>
  computing(name, ([value]) => {
    const [x, result] = [number(value), fn(number(value))];
    if (Number.isNaN(result) && !Number.isNaN(x)) raise("ValueError", "math domain error");
    if (Number.isFinite(result) || !Number.isFinite(x)) return result;
    return name.startsWith("log") ? raise("ValueError", "math domain error") : raise("OverflowError", "math range error");
  });
const whole = (name: string, fn: (x: number) => number): PyValue =>
  computing(name, ([x]) => {
    if (typeof x === "bigint") return x;
    const result = fn(number(x));
    if (Number.isNaN(result)) return raise("ValueError", "cannot convert float NaN to integer");
    return Number.isFinite(result) ? BigInt(result) : raise("OverflowError", "cannot convert float infinity to integer");
  });
const test = (name: string, fn: (x: number) => boolean): PyValue => computing(name, ([x]) => fn(number(x)));
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
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
const log = real("log", Math.log);
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
      ...Object.fromEntries(REAL.map((name) => [name, real(name, Math[name])])),
      exp2: real("exp2", (x) => 2 ** x),
      fabs: real("fabs", Math.abs),
      log: computing("log", ([x = null, base], _, host) => {
        const of = (value: PyValue): number => number(callHost(host, log, [value], new Map()));
        return base === undefined ? of(x) : of(x) / of(base);
      }),
      ceil: whole("ceil", Math.ceil),
      floor: whole("floor", Math.floor),
      trunc: whole("trunc", Math.trunc),
      isqrt: computing("isqrt", ([n = null]) => isqrt(integer(n))),
      pow: computing("pow", ([x, y]) => number(x) ** number(y)),
      fmod: computing("fmod", ([x, y]) => number(x) % number(y)),
      hypot: computing("hypot", (values) => Math.hypot(...values.map(number))),
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
