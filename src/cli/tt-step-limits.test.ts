import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const VECADD = "fixtures/kernels/vecadd.ttir";
async function run(...argv: readonly string[]) {
  const io = memoryIo();
  const code = await main(["limits", ...argv], io);
  return { code, out: io.out(), err: io.err() };
}

test("limits compiles for the GPU's own target and reports the launch", async () => {
  const { code, out } = await run(VECADD, "--arg", "n=4194304", "--grid", "cdiv(n, 1024)", "--gpu", "h200");
  expect(code).toBe(0);
  expect(out).toMatch(/^vecadd on H200 SXM: 4096 programs \(4096x1x1\) of 128 threads\nbound by DRAM: /);
  expect(out).toContain("not modelled");
  const json = JSON.parse((await run(VECADD, "--arg", "n=4194304", "--grid", "4096", "--gpu", "h200", "--json")).out);
  expect(json).toMatchObject({ kind: "limits", binding: "DRAM", programs: 4096, gpu: { name: "h200" }, program: { sectorsRead: 256 } });
});

test.each([
  [[], "limits expects one input"],
  [[VECADD], "the costs depend on how many programs there are: --grid X,Y,Z"],
  [[VECADD, "--grid", "1024"], "the costs depend on a number that is not given: --arg n=N"],
  [[VECADD, "--grid", "cdiv(m, 1024)"], "the grid needs 'm', whose value is not known"],
  [[VECADD, "--grid", "0", "--arg", "n=16"], "has no programs"],
  [[VECADD, "--grid", "4", "--arg", "n=17"], "argument 'n' is compiled as a multiple of 16, and 17 is none"],
  [[VECADD, "--grid", "4", "--arg", "n=16", "--gpu", "k80"], "--gpu"],
  [[VECADD, "--grid", "4096", "--arg", "n=4194304", "--shape", "a_ptr=100"], "reads beyond 'a_ptr', which has 400 bytes"],
  [[VECADD, "--grid", "4", "--arg", "n=4096", "--target", "cuda:90", "--gpu", "a100"], "the code is compiled for cuda:90"],
  [[VECADD, "--grid", "4", "--arg", "n=4096", "--target", "cuda:120"], "no GPU of cuda:120 has a record"],
  [[VECADD, "--grid", "4", "--arg", "n=4096", "--sweep", "BLOCK=64"], "there is no constant or option 'BLOCK'"],
  [[VECADD, "--grid", "4", "--arg", "n=4096", "--roofline", "x.png"], "--roofline draws .svg, .html or .txt"],
  [["fixtures/ptx/print_assert-sm80.ptx", "--grid", "4"], "was compiled elsewhere"],
] as const)("wrong input: %j", async (argv, message) => {
  expect(await run(...argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

test("what would move the bound: the dearest ops, and the bound under other options", async () => {
  const { out } = await run(VECADD, "--arg", "n=4194304", "--grid", "4096", "--what-if");
  expect(out).toMatch(/what costs most of DRAM\n {2}\d+ % vecadd\.py:\d+:\d+ tt\.load: /);
  expect(out).toMatch(/num_warps=8: [\d.]+ us by DRAM, about the same/);
});

test("--against compares the costs of two launches, and --trace keeps those of one", async () => {
  const launch = ["--arg", "n=4194304", "--grid", "4096", "--gpu", "h100", "--no-ptxas"];
  const anyN = "fixtures/kernels/vecadd_any_n.ttir";
  const { code, out } = await run(VECADD, ...launch, "--against", anyN);
  expect(code).toBe(1);
  expect(out).toMatch(
    /^final code, fixtures\/kernels\/vecadd_any_n\.ttir -> fixtures\/kernels\/vecadd\.ttir\n {2}global loads +ld\.global\.b32 16 -> ld\.global\.v4\.b32 4\n/,
  );
  expect(out).toMatch(/^ {2}sectors of a program +1536 -> 384\n/m);
  const warps = await run(VECADD, ...launch, "--against", "num-warps=8");
  expect(warps.out).toMatch(/^ {2}instructions of a program +\d+ -> \d+\n/m);
  expect(warps.out).not.toContain("least time");
  expect(await run(VECADD, ...launch, "--against", VECADD)).toMatchObject({ code: 0, out: expect.stringMatching(/^final code: the same/) });
  expect(await run(VECADD, ...launch, "--against", "num-warps=8", "--json")).toMatchObject({ code: 2 });
  for (const several of [
    ["--against", "num-warps=8"],
    ["--sweep", "num_warps=4,8"],
  ])
    for (const one of [["--trace", "x.json"], ["--roofline", "x.svg"], ["--what-if"]])
      expect(await run(VECADD, ...launch, ...several, ...one)).toMatchObject({ code: 2, err: expect.stringContaining(one[0]!) });
  expect(await run(VECADD, ...launch, "--against", "debug=true")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--debug has no effect: the front end reads it, and the input is TTIR"),
  });

  const io = memoryIo();
  expect(await main(["limits", VECADD, ...launch, "--trace", "kept.json"], io)).toBe(0);
  expect(JSON.parse(io.written.get("kept.json")!).artifacts.costs).toMatchObject({
    gpu: "h100",
    grid: [4096, 1, 1],
    figures: { sectors: 384, wavefronts: 0 },
  });
});

test("a launch may be the file that run takes", async () => {
  const launch = (json: unknown) => memoryIo("", { "launch.json": JSON.stringify(json) });
  const array = { dtype: "fp32", shape: [4096] };
  const io = launch({ grid: [4], args: { a_ptr: array, b_ptr: array, c_ptr: array, n: 4096 } });
  expect(await main(["limits", VECADD, "--launch", "launch.json"], io)).toBe(0);
  expect(io.out()).toMatch(/^vecadd on A100[^:]*: 4 programs \(4x1x1\)/);
  const short = launch({ grid: [8], args: { a_ptr: array, n: 8192 } });
  expect(await main(["limits", VECADD, "--launch", "launch.json"], short)).toBe(2);
  expect(short.err()).toContain("reads beyond 'a_ptr', which has 16384 bytes");
  const broken = launch({ args: {} });
  expect(await main(["limits", VECADD, "--launch", "launch.json"], broken)).toBe(2);
  expect(broken.err()).toContain("'launch.json': 'grid' is one to three positive integers");
});
