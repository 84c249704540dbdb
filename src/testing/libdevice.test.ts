/** Every function of libdevice: errors of its PTX against exact values, and what execution at tensor level makes of it. */
import { describe, expect, test } from "vitest";
import { LIBDEVICE_VARIANTS } from "../frontend/language/builtins/libdevice.js";
import { libdeviceExpression } from "../simulate/libdevice.js";
import { ELEMENTARY } from "../simulate/tensor/elementary.js";
import { TOLERANCES } from "../simulate/tensor/tolerances.js";
import { functionOf } from "../support/function-of.js";
import { interpreted } from "../support/interpreted.js";
import { type Accuracy, accuracy, callerPtx, evaluate, readPoints, type Signature, valueOf } from "./libdevice-accuracy.js";
import { absoluteBound, BOUNDS, isAbsolute, ynBound } from "./libdevice-bounds.js";

/** All that Triton's `libdevice` can call: symbol and types. */
const FUNCTIONS = Object.values(LIBDEVICE_VARIANTS)
  .flatMap((variants) => variants.split(" "))
  .map((variant) => {
    const [args, name, result] = variant.split(":") as [string, string, string];
    const type = (t: string) => (t === "bool" ? "i32" : t.replace("u", "i"));
    return { symbol: `__nv_${name}`, signature: { args: args.split(",").map(type), result: type(result) } satisfies Signature };
  });
const POINTS = readPoints("fixtures/libdevice/points.txt");
const nameOf = (symbol: string, isFloat: boolean): string => {
  const name = symbol.slice("__nv_".length);
  return isFloat ? name.replace(/f$/, "") : name;
};

const measured = new Map<string, Accuracy & { readonly points: number }>();
function measure(points: (typeof POINTS)[number]): Accuracy {
  const isFloat = points.signature.result === "f32";
  const results = evaluate(points.symbol, points.signature, points.args);
  const found = accuracy(points, results, isAbsolute(nameOf(points.symbol, isFloat), isFloat));
  measured.set(points.symbol, { ...found, points: points.args.length });
  return found;
}

describe("errors are at most what CUDA documents", () => {
  test.each(POINTS.map((p) => [p.symbol, p] as const))("%s", (symbol, points) => {
    const isFloat = points.signature.result === "f32";
    const found = measure(points);
    const name = nameOf(symbol, isFloat);
    const bound = symbol === "__nv_ynf" ? ynBound(128) : (BOUNDS[name]?.[isFloat ? 0 : 1] ?? 0);
    expect(found.steps).toBeLessThanOrEqual(bound);
    expect(found.absolute).toBeLessThanOrEqual(absoluteBound(isFloat));
  });
  test("in a table", async () => {
    await expect(table()).toMatchFileSnapshot("../../docs/libdevice.md");
  });
});

describe("functions of f32", () => {
  const floats = FUNCTIONS.filter(({ signature }) => !/64/.test([...signature.args, signature.result].join()));
  test.each(floats.map((f) => [f.symbol, f.signature] as const))("%s computes without doubles", (symbol, signature) => {
    expect(callerPtx(symbol, signature, true)).not.toMatch(/\.f64/);
  });
  test.each(POINTS.filter((p) => p.signature.result === "f32").map((p) => [p.symbol, p] as const))(
    "%s with flushed subnormals",
    (symbol, points) => {
      const isNormal = (bits: bigint, type: string) => type !== "f32" || (bits & 0x7fffffffn) === 0n || (bits & 0x7f800000n) !== 0n;
      const kept = points.args.flatMap((args, i) => {
        const { value } = points.expected[i]!;
        return args.every((bits, k) => isNormal(bits, points.signature.args[k]!)) && (value === 0 || !(Math.abs(value) < 2 ** -125))
          ? [i]
          : [];
      });
      const some = { ...points, args: kept.map((i) => points.args[i]!), expected: kept.map((i) => points.expected[i]!) };
      const found = accuracy(some, evaluate(symbol, points.signature, some.args, true), isAbsolute(nameOf(symbol, true), true));
      const bound = symbol === "__nv_ynf" ? ynBound(128) : (BOUNDS[nameOf(symbol, true)]?.[0] ?? 0);
      expect(found.steps).toBeLessThanOrEqual(bound);
    },
  );
});

const compute = (symbol: string) =>
  functionOf(["H"], `return (a, b, c, d) => ${libdeviceExpression(symbol)};`)(ELEMENTARY) as (
    ...args: readonly (number | bigint)[]
  ) => number | bigint;

describe("at tensor level", () => {
  test.each(POINTS.map((p) => [p.symbol, p] as const))("%s is as good as a double", (symbol, { signature, args, expected }) => {
    const run = compute(symbol);
    const tolerance = signature.result === "f32" ? 1.2e-7 : TOLERANCES["f64"]!;
    args.forEach((bits, i) => {
      const numbers = bits.map((b, k) => valueOf(b, signature.args[k]!));
      const round = signature.result === "f32" ? Math.fround : (x: number) => x;
      const [got, want] = [round(run(...numbers) as number), round(expected[i]!.value)];
      if (Object.is(got, want)) return;
      // At a zero of the function what a double of the argument can give is all that can be asked.
      const least = /_(?:[jy][01n]f?|lgamma)$/.test(symbol) ? 1e-14 : signature.result === "f32" ? 2 ** -149 : 2 ** -1022;
      const distance = Math.abs(got - want);
      if (!(distance <= Math.max(tolerance * Math.abs(want), least))) expect([symbol, ...numbers, got]).toEqual([symbol, ...numbers, want]);
    });
  });

  const measuredSymbols = new Set(POINTS.map((p) => p.symbol));
  const others = FUNCTIONS.filter((f) => !measuredSymbols.has(f.symbol) && f.symbol !== "__nv_rcp64h" && !f.symbol.includes("fast_"));
  test.each(others.map((f) => [f.symbol, f.signature] as const))("%s gives what its instructions give", (symbol, signature) => {
    const run = compute(symbol);
    const points = edgePoints(signature.args);
    const results = evaluate(symbol, signature, points);
    points.forEach((bits, i) => {
      const made = run(...bits.map((b, k) => valueOf(b, signature.args[k]!)));
      const want = valueOf(results[i]!, signature.result);
      const got = valueOf(bitsOf(made, signature.result), signature.result);
      if (!Object.is(got, want)) expect([symbol, ...bits, got]).toEqual([symbol, ...bits, want]);
    });
  });
});

test("every function can be interpreted where no code may be made from text", () => {
  for (const { symbol } of FUNCTIONS)
    expect(() => interpreted(["H"], `return (a, b, c, d) => ${libdeviceExpression(symbol)};`), symbol).not.toThrow();
});

/** Arguments where roundings, signs and limits show. */
function edgePoints(types: readonly string[]): bigint[][] {
  const values: Readonly<Record<string, readonly bigint[]>> = {
    i32: [0n, 1n, -1n, 7n, -8n, 0x12345678n, 0x7fffffffn, -0x80000000n, 16777217n],
    i64: [0n, 1n, -1n, 7n, -8n, 0x123456789abcdef0n, 2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n],
    f32: [0, -0, 0.5, -1.5, 2.5, 1 / 3, -7.75, 1e10, 3e38, 1e-40].map((x) => bitsOf(x, "f32")),
    f64: [0, -0, 0.5, -1.5, 2.5, 1 / 3, -7.75, 1e10, 1e300, 1e-310].map((x) => bitsOf(x, "f64")),
  };
  const first = values[types[0]!]!;
  return types.length === 1
    ? first.map((x) => [x])
    : first.flatMap((x, i) =>
        first.map((_, j) => types.map((type, k) => (k === 0 ? x : values[type]![(k === 1 ? j : i + j) % values[type]!.length]!))),
      );
}
const words = new DataView(new ArrayBuffer(8));
function bitsOf(value: number | bigint, type: string): bigint {
  if (type === "i32") return BigInt.asUintN(32, BigInt(value));
  if (type === "i64") return BigInt.asUintN(64, BigInt(value));
  if (type === "f32") words.setFloat32(0, Number(value));
  else words.setFloat64(0, Number(value));
  return type === "f32" ? BigInt(words.getUint32(0)) : words.getBigUint64(0);
}

/** docs/libdevice.md: `npm run libdevice-ulp` writes it. */
function table(): string {
  const rows = [...measured]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([symbol, { ulps, steps, absolute, points }]) => {
      const isFloat = POINTS.find((p) => p.symbol === symbol)!.signature.result === "f32";
      const name = nameOf(symbol, isFloat);
      const bound = BOUNDS[name]?.[isFloat ? 0 : 1] ?? 0;
      const documented = [
        ...(Number.isFinite(bound) ? [`${bound} ulp`] : name === "yn" && isFloat ? ["2 + 2.5 n ulp for x < n"] : []),
        ...(/^[jy][01n]$/.test(name) ? [`absolute ${absoluteBound(isFloat)} ${/n$/.test(name) ? "elsewhere" : "beyond 8"}`] : []),
      ];
      const found = name === "jn" ? "-" : name === "yn" && !isFloat ? "-" : `${ulps.toFixed(2)} | ${steps}`;
      return `| \`${symbol}\` | ${isFloat ? "f32" : "f64"} | ${found === "-" ? "- | -" : found} | ${absolute > 0 ? absolute.toExponential(1) : ""} | ${documented.join("; ")} | ${points} |`;
    });
  const exact = FUNCTIONS.map((f) => f.symbol)
    .filter((symbol) => !measured.has(symbol))
    .sort();
  return `# Errors of libdevice's functions

\`npm run libdevice-ulp\` measures them: each function's PTX is executed at the points of \`fixtures/libdevice/points.txt\`, which holds exact
values (computed with 60 and more digits). "Error" is the distance from the exact value in units in the last place; "steps" is how
many floats lie between the result and the exact value rounded to nearest, which is what CUDA's documentation counts. The bound is
that of the CUDA C++ Programming Guide. Zeros, infinities, NaN and subnormals are among the points.

Execution computes \`ex2.approx\`, \`lg2.approx\`, \`rsqrt.approx\`, \`sqrt.approx\`, \`rcp.approx\` and \`div.full\` rounded to nearest; a GPU's may be off by
1 or 2 ulp, which adds to functions of f32.

| function | type | error | steps | absolute | documented | points |
|---|---|---|---|---|---|---|
${rows.join("\n")}

The others are instructions of the GPU, or exact:
${exact.map((symbol) => `\`${symbol}\``).join(", ")}.
`;
}
