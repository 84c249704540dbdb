import { expect, test } from "vitest";
import { commentSettings } from "./kernel-comment.js";
import type { KernelConfig, KernelInfo } from "./request.js";
import { chooseKernel, specialize } from "./specialize.js";

const parameter = (text: string) => {
  const [, name = "", annotation, value] = /^(\w+)(: tl\.constexpr)?(?: = (.*))?$/.exec(text)!;
  return { name, isConstexpr: annotation !== undefined, specialized: "value" as const, defaultText: value };
};
const kernel = (parameters: readonly string[], more: Partial<KernelInfo> = {}): KernelInfo => ({
  name: "add",
  line: 1,
  parameters: parameters.map(parameter),
  configs: [],
  heuristics: [],
  debug: false,
  settings: [],
  guess: () => ({
    entries: new Map(parameters.map(parameter).map(({ name }) => [name, { text: `?${name}`, from: "use" }])),
    options: new Map(),
  }),
  grid: () => undefined,
  ...more,
});
const config = (constants: Readonly<Record<string, string>>, numWarps?: number): KernelConfig => ({
  constants: new Map(Object.entries(constants)),
  numWarps,
  numStages: undefined,
  numCtas: undefined,
  maxnreg: undefined,
});
const NOTHING = { kernel: undefined, signature: undefined, types: [], constants: [], config: undefined };
const ADD = kernel(["x_ptr", "y_ptr", "n", "BLOCK: tl.constexpr"]);

function made(k: KernelInfo, given: Partial<Parameters<typeof specialize>[1]>, comment: Parameters<typeof specialize>[2] = []) {
  const result = specialize(k, { ...NOTHING, ...given }, comment);
  if ("error" in result) return result.error;
  const { signature, constants, attrs } = result.specialization;
  const types = [...signature].map(([name, type]) => `${name}: ${JSON.stringify(type).replaceAll('"', "")}`);
  return {
    types,
    constants: Object.fromEntries(constants),
    hints: Object.fromEntries([...attrs].map(([path, [attr]]) => [path, attr![1]])),
  };
}

test("a signature has types with hints and constants, one entry a parameter", () => {
  expect(made(ADD, { signature: "*fp32:16, *fp32, i32:16, 1024" })).toEqual({
    types: ["x_ptr: *fp32", "y_ptr: *fp32", "n: i32", "BLOCK: constexpr"],
    constants: { 3: "1024" },
    hints: { 0: 16, 2: 16 },
  });
  expect(made(ADD, { signature: "tensordesc<fp16[128, 64]>,(i32:16,*fp16,(2, u8)), i32:1, 'a, b'" })).toEqual({
    types: ["x_ptr: tensordesc<fp16[128, 64]>", "y_ptr: [i32,*fp16,[constexpr,u8]]", "n: constexpr", "BLOCK: constexpr"],
    constants: { "1,2,0": "2", 2: "1", 3: "'a, b'" },
    hints: { "1,0": 16 },
  });
});

test("an S in a pointer's hint says that its tensor is small", () => {
  const specialized = specialize(ADD, { ...NOTHING, signature: "*fp32:16S, *fp32:S, i32, 8" }, []);
  if ("error" in specialized) throw new Error(specialized.error);
  expect([...specialized.specialization.attrs]).toEqual([
    [
      "0",
      [
        ["tt.divisibility", 16],
        ["tt.pointer_range", 32],
      ],
    ],
    ["1", [["tt.pointer_range", 32]]],
  ]);
  expect(specialized.proposal.entries.map(({ text }) => text)).toEqual(["*fp32:16S", "*fp32:S", "i32", "8"]);
  expect(made(ADD, { signature: "*fp32, *fp32, i32:16S, 8" })).toBe(
    "--signature: the S in the hint of 'i32:16S' is for pointers: the tensor has less than 2 GiB",
  );
});

test.each([
  ["-3", "-3"],
  ["1_000", "1000"],
  ["1e-5", "1e-5"],
  ["inf", 'float("inf")'],
  ["None", "None"],
  ["True", "True"],
  ["(1, 2)", "(1, 2)"],
  ["[1, 2]", "[1, 2]"],
  ["tl.float16", "tl.float16"],
  ["relu", '"relu"'],
  ["'relu'", "'relu'"],
  ["(relu)", "(relu)"],
  ["a + 1", "a + 1"],
])("--const NAME=%s is the expression %s", (text, expression) => {
  expect(made(ADD, { signature: "*fp32, *fp32, i32", constants: [`BLOCK=${text}`] })).toMatchObject({ constants: { 3: expression } });
});

test("by name comes before the signature, that before the comment, that before a configuration, that before a default", () => {
  const k = kernel(["x", "A: tl.constexpr", "B: tl.constexpr", "C: tl.constexpr = 5"], { configs: [config({ A: "1", B: "2" })] });
  const comment = [
    { key: "signature", value: "*fp16, 64" },
    { key: "x", value: "*i8:16" },
  ];
  expect(made(k, {}, comment)).toMatchObject({
    types: ["x: *i8", ...["A", "B", "C"].map((n) => `${n}: constexpr`)],
    constants: { 1: "64", 2: "2", 3: "5" },
  });
  expect(made(k, { signature: "*fp32, 7", constants: ["B=9"] }, comment)).toMatchObject({
    types: ["x: *fp32", expect.anything(), expect.anything(), expect.anything()],
    constants: { 1: "7", 2: "9" },
  });
});

test("defaults of arguments that are no constants become what a launch makes of them", () => {
  expect(made(kernel(["a = 32", "b = 3000000001", "c = 1", "d = None", "e = 1e-5", "f = True"]), {})).toEqual({
    types: ["a: i32", "b: i64", "c: constexpr", "d: constexpr", "e: fp32", "f: u1"],
    constants: { 2: "1", 3: "None" },
    hints: { 0: 16 },
  });
});

test("what is missing is named, with an example", () => {
  expect(made(ADD, {})).toBe(
    "kernel 'add' needs types and values for x_ptr, y_ptr, n, BLOCK (tl.constexpr); for example\n  tt-step FILE --kernel add --signature '?x_ptr, ?y_ptr, ?n, ?BLOCK'\n(guessed from its use: x_ptr, y_ptr, n, BLOCK)",
  );
  expect(made(ADD, { signature: "*fp16:16, *fp16, i32" })).toBe(
    "kernel 'add' needs a value for BLOCK (tl.constexpr); for example\n  tt-step FILE --kernel add --signature '*fp16:16, *fp16, i32, ?BLOCK'\n(guessed from its use: BLOCK)",
  );
});

test("what does not fit the kernel is refused", () => {
  expect(made(ADD, { signature: "*float32" })).toBe(
    "--signature: '*float32' is neither a type nor a Python literal; did you mean '*fp32'?",
  );
  expect(made(ADD, { signature: "*fp32:12" })).toContain("power of two");
  expect(made(ADD, { signature: "*fp32, (i32" })).toContain("a bracket is not closed");
  expect(made(ADD, { signature: "i32, i32, i32, 1, 2" })).toContain("--signature has 5 entries, but 'add' has 4 parameters");
  expect(made(ADD, { types: ["x_prt=*fp32"] })).toBe("'add' has no parameter 'x_prt'; did you mean 'x_ptr'?");
  expect(made(ADD, { constants: ["BLOCK"] })).toContain("a value is missing");
});

test("autotune configurations are listed, and one is chosen", () => {
  const k = kernel(["B: tl.constexpr"], { configs: [config({ B: "64" }, 8), config({ B: "128" })] });
  expect(made(k, {})).toBe(
    "'add' has 2 autotune configurations:\n  0: B: 64, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None\n  1: B: 128, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None\nchoose one with --config N, or give its constants with --const; for example\n  tt-step FILE --kernel add --config 0 --signature constexpr",
  );
  expect(made(k, { config: 1 })).toMatchObject({ constants: { 0: "128" } });
  expect(made(k, { constants: ["B=32"] })).toMatchObject({ constants: { 0: "32" } });
  expect(made(k, { config: 2 })).toContain("there is no configuration 2");
  // A setting for no parameter is for hooks: with all parameters given there is nothing to choose.
  const hooked = kernel(["B: tl.constexpr"], { configs: [config({ B: "64", HOOK: "1" }), config({ B: "128", HOOK: "2" })] });
  expect(made(hooked, { constants: ["B=32"] })).toMatchObject({ constants: { 0: "32" } });
});

test("one kernel is chosen by itself, several are listed", () => {
  const [add, sub] = [ADD, { ...ADD, name: "sub" }];
  expect(chooseKernel([add], undefined, "k.py")).toBe(add);
  expect(chooseKernel([add, sub], "sub", "k.py")).toBe(sub);
  expect(chooseKernel([add, sub], undefined, "k.py", (k) => k === sub)).toBe(sub);
  expect(chooseKernel([add, sub], undefined, "k.py")).toMatchObject({
    error:
      "'k.py' has 2 kernels; choose one with --kernel:\n  add(x_ptr, y_ptr, n, BLOCK: tl.constexpr)\n  sub(x_ptr, y_ptr, n, BLOCK: tl.constexpr)",
    choices: { items: [{ given: { kernel: "add" } }, { given: { kernel: "sub" } }] },
  });
  expect(chooseKernel([add, sub], "adt", "k.py")).toEqual({ error: "'k.py' has no kernel 'adt'; did you mean 'add'?" });
});

test("settings may be in the comments above a kernel", () => {
  const text = "import x\n\n# tt-step: signature=*fp16:16, (i32, 2), 128, num_warps=8\n# words\n# tt-step: debug, ACT='a=b'\n@triton.jit\n";
  expect(commentSettings(text, 6)).toEqual([
    { key: "signature", value: "*fp16:16, (i32, 2), 128" },
    { key: "num_warps", value: "8" },
    { key: "debug", value: "True" },
    { key: "ACT", value: "'a=b'" },
  ]);
  expect(commentSettings(text, 2)).toEqual([]);
});
