/** How far libdevice's functions are off, in PTX as executed: by points and exact values that a fixture holds. */
import { readFileSync } from "node:fs";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { runPtx } from "../simulate/ptx/run.js";
import { parseModule } from "../syntax/parse.js";
import { ptxText } from "../target/ptx/translate.js";

/** Types of arguments and of the result: f32, f64, i32, i64. */
export interface Signature {
  readonly args: readonly string[];
  readonly result: string;
}

/** The PTX of a kernel that calls a function once for each thread. */
export function callerPtx(symbol: string, { args, result }: Signature, ftz: boolean): string {
  const params = [...args, result].map((_, i) => `%p${i}: !llvm.ptr<1>`).join(", ");
  const bits = (type: string) => `i${type.slice(1)}`;
  const loads = args.map(
    (type, i) => `%a${i} = llvm.getelementptr %p${i}[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, ${bits(type)}
      %v${i} = llvm.load %a${i} : !llvm.ptr<1> -> ${type}`,
  );
  const text = `llvm.func @${symbol}(${args.join(", ")}) -> ${result}
    llvm.func @k(${params}) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 32>} {
      %x = nvvm.read.ptx.sreg.tid.x : i32
      %b = nvvm.read.ptx.sreg.ctaid.x : i32
      %c32 = llvm.mlir.constant(32 : i32) : i32
      %m = llvm.mul %b, %c32 : i32
      %t = llvm.add %m, %x : i32
      ${loads.join("\n")}
      %r = llvm.call @${symbol}(${args.map((_, i) => `%v${i}`).join(", ")}) : (${args.join(", ")}) -> ${result}
      %o = llvm.getelementptr %p${args.length}[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, ${bits(result)}
      llvm.store %r, %o : ${result}, !llvm.ptr<1>
      llvm.return
    }`;
  const { module } = parseModule(new Context(ALL_DIALECTS), "libdevice.mlir", text)!;
  const made = ptxText(module, { capability: 80, version: 87, fusion: true, reflectFtz: ftz });
  if (!("text" in made)) throw new Error(`${symbol}: ${made.problems.map((p) => p.message).join("; ")}`);
  return made.text;
}

const bytesOf = (type: string): number => Number(type.slice(1)) / 8;

/** The bits of a function's results. */
export function evaluate(symbol: string, signature: Signature, points: readonly (readonly bigint[])[], ftz = false): bigint[] {
  const ptx = callerPtx(symbol, signature, ftz);
  const ctas = Math.ceil(points.length / 32);
  const buffers = signature.args.map((type, i) => {
    const view = new DataView(new ArrayBuffer(ctas * 32 * bytesOf(type)));
    points.forEach((point, k) => {
      if (bytesOf(type) === 4) view.setUint32(4 * k, Number(BigInt.asUintN(32, point[i]!)), true);
      else view.setBigUint64(8 * k, BigInt.asUintN(64, point[i]!), true);
    });
    return { name: `a${i}`, element: bytesOf(type) === 4 ? "i32" : "i64", data: new Uint8Array(view.buffer) } as const;
  });
  const size = bytesOf(signature.result);
  const out = { name: "out", element: size === 4 ? "i32" : "i64", bytes: ctas * 32 * size } as const;
  const run = runPtx(ptx, { grid: [ctas, 1, 1], args: [...buffers, out].map((spec) => ({ kind: "buffer", spec })), facts: false });
  const wrong = [...run.diagnostics.map((d) => d.message), ...run.findings.map((f) => f.message)];
  if (wrong.length > 0) throw new Error(`${symbol}: ${wrong[0]}`);
  const data = new DataView(run.memory.contents("out", out.bytes).buffer);
  return points.map((_, k) => (size === 4 ? BigInt(data.getUint32(4 * k, true)) : data.getBigUint64(8 * k, true)));
}

/** Points of one function with exact values: those of f32 as a double, those of f64 as the nearest double and what it is off in 1/100 ulp. */
export interface Points {
  readonly symbol: string;
  readonly signature: Signature;
  readonly args: readonly (readonly bigint[])[];
  readonly expected: readonly { readonly value: number; readonly rest: number }[];
}

const words = new DataView(new ArrayBuffer(8));
function doubleOf(bits: bigint): number {
  words.setBigUint64(0, bits);
  return words.getFloat64(0);
}
function floatOf(bits: bigint): number {
  words.setUint32(0, Number(bits));
  return words.getFloat32(0);
}
/** A value by its bits. */
export function valueOf(bits: bigint, type: string): number | bigint {
  if (type === "i64") return BigInt.asIntN(64, bits);
  return type === "i32" ? Number(BigInt.asIntN(32, bits)) : type === "f32" ? floatOf(bits) : doubleOf(bits);
}
/** A float's place among all of its kind: neighbours differ by one. */
function ordinal(value: number, type: string): number | bigint {
  if (type === "f32") {
    words.setFloat32(0, value);
    const bits = words.getInt32(0);
    return bits < 0 ? -(bits & 0x7fffffff) : bits;
  }
  words.setFloat64(0, value);
  const bits = words.getBigInt64(0);
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits;
}

/** Reads the fixture: `symbol arg,arg=value:rest ...`, floats by their bits in hexadecimal, integers in decimal. */
export function readPoints(file: string): Points[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [symbol, ...points] = line.split(" ") as [string, ...string[]];
      const parsed = points.map((point) => {
        const [args, value] = point.split("=") as [string, string];
        const [bits, rest] = value.split(":");
        return { args: args.split(","), value: doubleOf(BigInt(`0x${bits}`)), rest: Number(rest ?? 0) / 100 };
      });
      const result = points[0]!.includes(":") ? "f64" : "f32";
      const integers = INTEGER_ARGUMENTS[symbol.replace(/^__nv_/, "").replace(/f$/, "")];
      const types = parsed[0]!.args.map((_, i) => (i === integers ? "i32" : result));
      return {
        symbol,
        signature: { args: types, result },
        args: parsed.map((p) => p.args.map((arg, i) => BigInt(types[i] === "i32" ? arg : `0x${arg}`))),
        expected: parsed.map(({ value, rest }) => ({ value, rest })),
      };
    });
}
/** Which argument is an integer. */
const INTEGER_ARGUMENTS: Readonly<Record<string, number>> = { jn: 0, yn: 0, ldexp: 1, scalbn: 1, powi: 1 };

export interface Accuracy {
  /** The largest distance from the exact value, in units in the last place of the nearest float. */
  readonly ulps: number;
  /** The largest absolute error where the documented bound is one. */
  readonly absolute: number;
  /** The largest distance from the exact value rounded, as CUDA's documentation counts. */
  readonly steps: number;
  /** Where. */
  readonly worst: number;
}

/** Compares results with the exact values; `isAbsolute` says for which points only the absolute error is documented. */
export function accuracy(
  { signature, args, expected }: Points,
  results: readonly bigint[],
  isAbsolute: (args: readonly number[]) => boolean,
): Accuracy {
  const { result } = signature;
  let found: Accuracy = { ulps: 0, absolute: 0, steps: 0, worst: 0 };
  results.forEach((bits, i) => {
    const got = result === "f32" ? floatOf(bits) : doubleOf(bits);
    const { value, rest } = expected[i]!;
    const nearest = result === "f32" ? Math.fround(value) : value;
    if (isAbsolute(args[i]!.map((arg, k) => valueOf(arg, signature.args[k]!) as number)) && Number.isFinite(nearest)) {
      found = { ...found, absolute: Math.max(found.absolute, Math.abs(got - value) || (Number.isNaN(got) ? Number.POSITIVE_INFINITY : 0)) };
      return;
    }
    const same = Object.is(got, nearest) || (Number.isNaN(got) && Number.isNaN(nearest));
    const specials = !Number.isFinite(got) && !Number.isFinite(nearest);
    const zeros = got === 0 && nearest === 0 && value === 0;
    const steps = same
      ? 0
      : specials || zeros || Number.isNaN(got - nearest)
        ? Number.POSITIVE_INFINITY
        : Math.abs(Number(BigInt(ordinal(got, result)) - BigInt(ordinal(nearest, result))));
    let ulps = steps;
    if (Number.isFinite(got) && Number.isFinite(nearest)) {
      const exponent = Math.max(Math.floor(Math.log2(Math.abs(nearest) || 1e-320)), result === "f32" ? -126 : -1022);
      const ulp = 2 ** (exponent - (result === "f32" ? 23 : 52));
      if (steps !== Number.POSITIVE_INFINITY) ulps = result === "f32" ? Math.abs(got - value) / ulp : Math.abs((got - value) / ulp - rest);
    }
    if (ulps > found.ulps) found = { ...found, ulps, worst: i };
    found = { ...found, steps: Math.max(found.steps, steps) };
  });
  return found;
}
