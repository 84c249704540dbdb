/** Interpreted texts compute what V8's own functions do. */
import { expect, test } from "vitest";
import { libdeviceExpression, libdeviceKinds } from "../simulate/libdevice.js";
import { ELEMENTARY } from "../simulate/tensor/elementary.js";
import { interpreted } from "./interpreted.js";

const NUMBERS = [0, -0, 1, -2.5, 7, 1e30, -3e9, 0.1, Infinity, NaN];
const BIGINTS = [0n, 1n, -5n, 2n ** 62n, -(2n ** 63n)];

/** The results of every pair of operands, interpreted and not. */
function both(code: string, operands: readonly unknown[], parameters = ["a", "b"]): readonly (readonly unknown[])[] {
  const make = (f: unknown) => (f as (...args: unknown[]) => (...args: unknown[]) => unknown)(ELEMENTARY);
  const text = `return (${parameters.join(", ")}) => ${code};`;
  return [interpreted(["H"], text), new Function("H", text)]
    .map(make)
    .map((compute) => operands.flatMap((a) => operands.map((b) => compute(a, b, a, b))));
}

test.each([
  "a + b * 2 - -a",
  "2 ** 3 ** 2 - a % 3 / b",
  "(a << 3) >>> 1 ^ b | 5 & ~a",
  "a > b ? a - b : a <= b ? 0 : NaN",
  "a !== a || a === b && !(b < a)",
  "Math.max(Math.abs(a), b, 0x1F) + Number(1n)",
  "((x) => x === x ? x : Infinity)(a * b)",
  "((x, y) => { const z = x + y; if (z > 1) { return z; } else return -z; })(a, b)",
  "(() => { let sum = 0; for (let i = 0; i < 5; i++) { if (i === 3) return sum; sum += i * a; } })()",
  "(() => { let x = 1; { let x = 2; x |= 8; } const f = y => x + y; return f(b); })()",
  "((list) => { list[1] = a; return list[1] - list.length; })(Array(3))",
  'H.copySign(a, b) + "x"',
])("numbers: %s", (code) => {
  const [ours, theirs] = both(code, NUMBERS);
  expect(ours).toEqual(theirs);
});

test.each(["a + b * 2n - (a << 3n)", "b == 0 ? 0n : a / b", "BigInt.asIntN(32, a ^ b) >= 5n ? -1 : 0", "BigInt.asUintN(64, a) % 7n"])(
  "bigints: %s",
  (code) => {
    const [ours, theirs] = both(code, BIGINTS);
    expect(ours).toEqual(theirs);
  },
);

test.each(["erf", "tgamma", "normcdfinv", "fast_pow", "remainder", "fdim", "jn", "brev", "mulhi", "clzll", "signbit"])(
  "libdevice: %s",
  (name) => {
    const symbol = [`__nv_${name}f`, `__nv_${name}`].find((s) => libdeviceExpression(s) !== undefined)!;
    const isWide = /ll$/.test(name);
    const operands = isWide ? BIGINTS : libdeviceKinds(symbol).args.includes("int") ? [0, 1, -7, 12345] : NUMBERS;
    const [ours, theirs] = both(libdeviceExpression(symbol)!, operands, ["a", "b", "c", "d"]);
    expect(ours).toEqual(theirs);
  },
);

test("a text that is not understood is a bug", () => {
  expect(() => interpreted([], "return class {}")).toThrow("no variable class");
  expect(() => interpreted([], "return (1")).toThrow("expected )");
  expect(() => interpreted([], "return #")).toThrow("cannot read");
});
