import { expect, test } from "vitest";
import { runPtx } from "./run.js";

/** The result of a library function, as the bits of one or two words. */
function call(name: string, type: string, result: string, ...args: readonly string[]): bigint {
  const bits = (t: string) => Number(t.slice(1));
  const list = args.map((_, i) => `a${i}`).join(", ");
  const text = `.version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .${result} r) ${name}(.param .${type} x);
.visible .entry k(.param .u64 .ptr .global k_param_0)\n.reqntid 32\n{
.reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .b64 %q<2>;\nld.param.b64 %rd1, [k_param_0];\n{
${args.map((a, i) => `.param .${type} a${i};\nst.param.${type} [a${i}], ${a};`).join("\n")}\n.param .${result} r0;
call.uni (r0), ${name}, (${list});\nld.param.${result} ${bits(result) === 64 ? "%q1" : "%r1"}, [r0];\n}
st.global.${result} [%rd1], ${bits(result) === 64 ? "%q1" : "%r1"};\nret;\n}\n`;
  const run = runPtx(text, { grid: [1, 1, 1], args: [{ kind: "buffer", spec: { name: "out", element: "i64" } }] });
  expect([...run.diagnostics, ...run.findings]).toEqual([]);
  return BigInt.asUintN(bits(result), new BigInt64Array(run.memory.contents("out", 8).buffer)[0]!);
}

test("floats and doubles, one expression for both", () => {
  expect(call("__nv_powf", "b32", "b32", "0f40400000", "0f40000000")).toBe(0x41100000n);
  expect(call("__nv_pow", "b64", "b64", "0d4008000000000000", "0d4000000000000000")).toBe(0x4022000000000000n);
  expect(call("__nv_fast_fdividef", "b32", "b32", "0f3F800000", "0f40000000")).toBe(0x3f000000n);
});
test("integers, tests and conversions", () => {
  expect(call("__nv_umulhi", "b32", "b32", "-1", "2")).toBe(1n);
  expect(call("__nv_clz", "b32", "b32", "1")).toBe(31n);
  expect(call("__nv_isnanf", "b32", "b32", "0f7FC00000")).toBe(1n);
  expect(call("__nv_double2ll_rz", "b64", "b64", "0dC004000000000000")).toBe(2n ** 64n - 2n);
});
