import { expect, test } from "vitest";
import { main } from "../cli/tt-opt.js";
import { memoryIo } from "../testing/memory-io.js";

const MATMUL = "fixtures/kernels/matmul.ttir";

async function run(args: readonly string[], io = memoryIo()) {
  const code = await main(["reduce", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

test("the smallest input has little but what the predicate asks for", async () => {
  const { code, out, err } = await run([MATMUL, "--predicate", "has(tt.dot)"]);
  expect(code).toBe(0);
  expect(err).toMatch(/^tt-opt: 382 ops reduced to [1-9] in \d+ tests\n$/);
  expect(out).toContain("tt.dot");
  expect(out.split("\n").length).toBeLessThan(14);
});

test("the predicate is of the result of the passes, and a failure is kept as it is", async () => {
  const wide = await run([MATMUL, "--canonicalize", "--predicate", "count(tt.load) >= 1", "--max-tests", "300"]);
  expect(wide.out.match(/tt\.load/g)).toHaveLength(1);
  const failing = await run([MATMUL, "--convert-triton-gpu-to-llvm", "--predicate", "fails", "--max-tests", "300"]);
  expect(failing.out.split("\n").length).toBeLessThan(12);
  const again = memoryIo("", { k: failing.out });
  expect(await main(["k", "--convert-triton-gpu-to-llvm"], again)).toBe(2);
  expect(again.err()).toContain("is a tensor without a layout: run convert-triton-to-tritongpu before [pass.layout]");
  expect(await run([MATMUL, "--canonicalize", "--predicate", "fails"])).toMatchObject({
    code: 1,
    err: `tt-opt: the predicate does not hold for '${MATMUL}': there is nothing to reduce\n`,
  });
});

test("a limit and ctrl+c keep the smallest so far", async () => {
  const limited = await run([MATMUL, "--predicate", "has(tt.dot)", "--max-tests", "3"]);
  expect(limited.err).toContain("in 3 tests; --max-tests ended it");
  let asked = 0;
  const stopped = await run([MATMUL, "--predicate", "has(tt.dot)"], { ...memoryIo(), progress: async () => ++asked > 2 } as ReturnType<
    typeof memoryIo
  >);
  expect(stopped.code).toBe(130);
});

test("a program decides by its exit code", async () => {
  const io = memoryIo();
  const texts: string[] = [];
  const programs = {
    listFolder: () => [],
    isProgram: () => true,
    runProgram: (program: string, args: readonly string[]) => {
      const text = io.written.get(args.at(-1)!)!;
      texts.push(program);
      return { status: text.includes("tt.store") ? 0 : 1, output: "" };
    },
    withFolder: <T>(use: (folder: string) => T): T => use("/folder"),
  };
  const { code, out } = await run([MATMUL, "--predicate", "command: ./check.sh -v"], { ...io, programs } as typeof io);
  expect(code).toBe(0);
  expect(out).toContain("tt.store");
  expect(out).not.toContain("tt.dot");
  expect(new Set(texts)).toEqual(new Set(["./check.sh"]));
});

test("what is wrong is said in a line", async () => {
  for (const [args, said] of [
    [[MATMUL], "reduce expects --predicate"],
    [[MATMUL, "--predicate", "cont(tt.dot)"], "the predicate expects"],
    [[MATMUL, "--predicate", "results"], "tt-step bisect has it"],
    [[MATMUL, "--predicate", "fails", "--max-tests", "no"], "--max-tests expects a number above 0"],
    [["none.mlir", "--predicate", "fails"], "cannot read 'none.mlir'"],
  ] as const)
    expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining(said) });
});
