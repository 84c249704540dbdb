/** NVIDIA's math library, by name: calls of `__nv_*` that were not inlined. */
import { functionOf } from "../../support/function-of.js";
import { libdeviceExpression, libdeviceKinds } from "../libdevice.js";
import { ELEMENTARY } from "../tensor/elementary.js";
import type { Builtin } from "./builtins.js";
import type { Warp } from "./warp.js";

type Scalar = number | bigint;

/** The function of that name; undefined when it is none of the library's. */
export function libdevice(name: string): Builtin | undefined {
  const expression = name.startsWith("__nv_") ? libdeviceExpression(name) : undefined;
  if (expression === undefined) return undefined;
  const compute = functionOf(["H"], `return (a, b, c, d) => ${expression};`)(ELEMENTARY) as (...args: readonly Scalar[]) => Scalar;
  const kinds = libdeviceKinds(name);
  return (args, [result = []]) => {
    const readers = args.map((words, i) => reader(words, kinds.args[i] ?? "float"));
    const write = writer(result, kinds.result);
    return (warp, mask) => {
      for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) write(warp, l, compute(...readers.map((read) => read(warp, l))));
    };
  };
}

type Registers = Pick<Warp, "I">;
const i32 = new Int32Array(2);
const f32 = new Float32Array(i32.buffer, 0, 1);
const f64 = new Float64Array(i32.buffer);
const i64 = new BigInt64Array(i32.buffer);

/** An operand of one word or two, lane by lane. */
function reader([low = 0, high]: readonly number[], kind: "float" | "int"): (warp: Registers, lane: number) => Scalar {
  return ({ I }, lane) => {
    i32[0] = I[low + lane]!;
    if (high === undefined) return kind === "float" ? f32[0]! : i32[0]!;
    i32[1] = I[high + lane]!;
    return kind === "float" ? f64[0]! : i64[0]!;
  };
}

function writer([low = 0, high]: readonly number[], kind: "float" | "int"): (warp: Registers, lane: number, value: Scalar) => void {
  return ({ I }, lane, value) => {
    if (high === undefined) {
      if (kind === "float") f32[0] = Number(value);
      else i32[0] = Number(value);
    } else if (kind === "float") f64[0] = Number(value);
    else i64[0] = BigInt(value);
    I[low + lane] = i32[0]!;
    if (high !== undefined) I[high + lane] = i32[1]!;
  };
}
