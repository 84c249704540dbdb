import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { callTool, TOOLS } from "./tools.js";

const host = { readFile: (path: string) => readFileSync(path, "latin1") };
const call = (name: string, args: Readonly<Record<string, unknown>>) => callTool(name, args, host);
const vecadd = { path: "fixtures/kernels/vecadd.ttir" };
const python = {
  path: "fixtures/frontend/kernels/vecadd_f32.py",
  types: ["a_ptr=*fp32:16", "b_ptr=*fp32:16", "c_ptr=*fp32:16", "n=i32:16"],
  constants: ["BLOCK=1024"],
};

test("each tool reports on a kernel", () => {
  expect(call("compile", { ...vecadd, target: "cuda:90" })).toEqual({
    isError: false,
    text: expect.stringContaining("vecadd on cuda:90: 4 warps"),
  });
  expect(call("compile", { ...vecadd, emit: "ttgir" }).text).toContain("#ttg.blocked");
  expect(call("list_passes", vecadd).text).toContain("ttgir tritongpu-coalesce *");
  expect(call("diff_steps", { ...vecadd, to: "tritongpu-coalesce" }).text).toMatch(/^\+\+\+ 11 tritongpu-coalesce$/m);
  expect(call("diff_steps", { ...vecadd, from: "0", to: "2" }).text).not.toBe("");
  expect(call("why", { ...vecadd, what: "vecadd.py:11" }).text).toContain("tt.load");
  expect(call("limits", { ...python, args: { n: 2 ** 20 }, grid: "cdiv(n, BLOCK)", gpu: "h100" }).text).toContain("bound by DRAM");
  expect(call("sweep", { ...python, args: { n: 2 ** 20 }, grid: "cdiv(n, BLOCK)", axes: { BLOCK: ["512", "1024"] } }).text).toContain(
    "BLOCK=512",
  );
  expect(call("validate", vecadd)).toEqual({ isError: false, text: expect.stringContaining("same results after each of") });
});

test.each([
  ["limit", {}, "there is no tool 'limit'"],
  ["limits", vecadd, "limits needs grid"],
  ["compile", { ...vecadd, targt: "cuda:90" }, "compile has no argument 'targt'"],
  ["compile", { path: 3 }, "argument 'path' of compile is to be: The kernel's file"],
  ["compile", { path: "none.py" }, "cannot read 'none.py'"],
  ["compile", { ...vecadd, options: { warps: 4 } }, "there is no option 'warps'"],
  ["compile", { ...vecadd, target: "cuda:91" }, "unknown target 'cuda:91'"],
  ["compile", { ...vecadd, emit: "sass" }, "argument 'emit'"],
  ["diff_steps", { ...vecadd, to: "coalesces" }, "there is no pass 'coalesces'"],
  ["limits", { ...vecadd, grid: "1024" }, "--arg n=N"],
] as const)("what is wrong with %s %j is said", (name, args, message) => {
  expect(call(name, args)).toEqual({ isError: true, text: expect.stringContaining(message) });
});

test("an answer has at most 200 lines", () => {
  const { text } = call("compile", { path: "fixtures/kernels/matmul.ttir", emit: "ptx" });
  expect(text.split("\n")).toHaveLength(201);
  expect(text).toMatch(/and \d+ more lines$/);
});

test("the schema of each tool names what it needs", () => {
  for (const { name, properties, required } of TOOLS) expect(Object.keys(properties), name).toEqual(expect.arrayContaining([...required]));
});
