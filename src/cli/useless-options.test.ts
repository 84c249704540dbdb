/** Every option of the compiler against every kind of input: it has an effect, or a note or an error says that it has none. */
import { expect, test } from "vitest";
import { readSource, type Source } from "../library/sources.js";
import { memoryIo } from "../testing/memory-io.js";
import type { OptionTable } from "./options/option.js";
import { COMPILE_OPTIONS, STEP } from "./options/step.js";
import { TRITON_OPTIONS } from "./options/triton.js";
import { main } from "./tt-step.js";
import { COMPILE_NAMES, withoutEffect } from "./tt-step-args.js";
import { uselessOptions } from "./useless-options.js";

const FUNCTION = "tt.func @f(%p: !tt.ptr<f32>) {\n  tt.return\n}";
const TEXTS = {
  python: `import triton
import triton.language as tl

# tt-step: signature=*fp32
@triton.jit
def f(p):
    tl.store(p, 1.0)
`,
  ttir: FUNCTION,
  ttgir: `module attributes {"ttg.num-warps" = 4 : i32} {\n${FUNCTION}\n}`,
  llvm: "llvm.func @f() {\n  llvm.return\n}",
  ptx: ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }",
};
type Kind = keyof typeof TEXTS;
const KINDS = Object.keys(TEXTS) as Kind[];

const sources = Object.fromEntries(
  KINDS.map((kind) => {
    const source = readSource({ name: kind === "python" ? "k.py" : "k", text: TEXTS[kind] });
    if (source.kind === "error") throw new Error(source.rendered ?? source.message);
    return [kind, source];
  }),
) as unknown as Readonly<Record<Kind, Source>>;

/** The kinds of inputs that an option has an effect on. */
function effective(name: string): string {
  const written = new Map([[name, ["x"]]]);
  return KINDS.filter(
    (kind) => withoutEffect(sources[kind], "k", { written }) === undefined && uselessOptions(sources[kind], [name]).length === 0,
  ).join(" ");
}

const ALL = "python ttir ttgir llvm";
const TO_TTGIR = "python ttir";
/** Those that are not in the table have an effect on whatever is compiled. */
const EXPECTED: Readonly<Record<string, string>> = {
  "num-warps": TO_TTGIR,
  "num-ctas": TO_TTGIR,
  "num-stages": TO_TTGIR,
  maxnreg: TO_TTGIR,
  "supported-fp8-dtypes": "python",
  "deprecated-fp8-dot-operand-dtypes": "python",
  "default-dot-input-precision": "python",
  "allowed-dot-input-precisions": "python",
  "max-num-imprecise-acc-default": "python",
  "matrix-instr-nonkdim": TO_TTGIR,
  kpack: TO_TTGIR,
  "use-async-copy": TO_TTGIR,
  "use-block-pingpong": TO_TTGIR,
  "use-in-thread-transpose": TO_TTGIR,
  "use-buffer-ops": TO_TTGIR,
  "use-buffer-atomics": TO_TTGIR,
  "analyze-small-tensor-range": TO_TTGIR,
  debug: "python",
  "sanitize-overflow": "python",
  language: "ttir ttgir",
  "pessimistic-axis-info": "python ttir ttgir",
};

test("each option of the compiler has an effect, or is said to have none", () => {
  for (const name of Object.keys({ ...COMPILE_OPTIONS, ...TRITON_OPTIONS })) expect(effective(name), name).toBe(EXPECTED[name] ?? ALL);
});

test("options of Python kernels are refused for what is none", () => {
  for (const name of ["kernel", "signature", "type", "const", "define", "config", "guess", "triton-lib"])
    expect(effective(name), name).toBe("python");
});

test("what has been compiled elsewhere takes no option of a compilation", () => {
  for (const name of COMPILE_NAMES)
    expect(withoutEffect(sources.ptx, "k", { written: new Map([[name, ["x"]]]) }), name).toContain(`--${name}`);
});

test("an option that needs another one is noted where that is missing", () => {
  for (const [name, { goesWith }] of Object.entries(STEP as OptionTable)) {
    if (!goesWith) continue;
    const [other] = goesWith;
    expect(Object.keys(STEP), name).toEqual(expect.arrayContaining([...goesWith]));
    expect(uselessOptions(sources.ttir, [name])[0], name).toMatch(`--${name} has no effect without --${other}`);
    expect(uselessOptions(sources.ttir, [name, other!]), name).toEqual([]);
  }
});

test("the command notes it and goes on; --against with such an option is refused", async () => {
  const io = memoryIo(TEXTS.ttgir);
  expect(await main(["-", "--emit", "ttgir", "--num-warps", "8"], io)).toBe(0);
  expect(io.err()).toBe("tt-step: note: --num-warps has no effect: passes to TTGIR read it, and the input is TTGIR\n");
  expect(io.out()).toContain("tt.func @f");
  const against = memoryIo(TEXTS.ttgir);
  expect(await main(["-", "--against", "num-warps=8"], against)).toBe(2);
  expect(against.err()).toContain("--against num-warps=8: --num-warps has no effect");
});

test("subcommands note it too", async () => {
  const note = "note: --num-warps has no effect: passes to TTGIR read it, and the input is TTGIR\n";
  const bisect = memoryIo(TEXTS.ttgir);
  expect(await main(["bisect", "-", "count(tt.return) > 0", "--num-warps", "8"], bisect)).toBe(0);
  expect(bisect.err()).toBe(`tt-step: ${note}`);
  const run = memoryIo(TEXTS.ttgir);
  expect(await main(["run", "-", "--num-warps", "8"], run)).toBe(0);
  expect(run.err()).toContain(`tt-step run: ${note}`);
});
