/** Sectors and wavefronts that layouts and addresses say are those that the execution of our PTX counts. */
import { describe, expect, test } from "vitest";
import { main } from "../cli/tt-step.js";
import { memoryIo } from "./memory-io.js";

const [ROWS, COLUMNS] = [32, 64];
/** Stores what is loaded at `p + row * s + column * t`, to the same place of `q`. */
function copy({ s, t, element = "f32", hint = 16 }: { s: number; t: number; element?: string; hint?: number }): string {
  const shape = `${ROWS}x${COLUMNS}`;
  const pointers = `tensor<${shape}x!tt.ptr<${element}>>`;
  const access = (name: string) => `
    %${name}s = tt.splat %${name} : !tt.ptr<${element}> -> ${pointers}
    %${name}p = tt.addptr %${name}s, %at : ${pointers}, tensor<${shape}xi32>`;
  return `module {
  tt.func public @f(%p: !tt.ptr<${element}> {tt.divisibility = ${hint} : i32}, %q: !tt.ptr<${element}> {tt.divisibility = ${hint} : i32}) {
    %r = tt.make_range {end = ${ROWS} : i32, start = 0 : i32} : tensor<${ROWS}xi32>
    %c = tt.make_range {end = ${COLUMNS} : i32, start = 0 : i32} : tensor<${COLUMNS}xi32>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<${ROWS}xi32> -> tensor<${ROWS}x1xi32>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<${COLUMNS}xi32> -> tensor<1x${COLUMNS}xi32>
    %s = arith.constant dense<${s}> : tensor<${ROWS}x1xi32>
    %t = arith.constant dense<${t}> : tensor<1x${COLUMNS}xi32>
    %rs = arith.muli %r1, %s : tensor<${ROWS}x1xi32>
    %ct = arith.muli %c1, %t : tensor<1x${COLUMNS}xi32>
    %rb = tt.broadcast %rs : tensor<${ROWS}x1xi32> -> tensor<${shape}xi32>
    %cb = tt.broadcast %ct : tensor<1x${COLUMNS}xi32> -> tensor<${shape}xi32>
    %at = arith.addi %rb, %cb : tensor<${shape}xi32>${access("p")}${access("q")}
    %x = tt.load %pp : ${pointers}
    tt.store %qp, %x : ${pointers}
    tt.return
  }
}
`;
}

interface Costs {
  /** By instruction. */
  readonly told: ReadonlySet<string>;
  readonly measured: ReadonlySet<string>;
}
async function costs(source: string, length: number, element: string, unit: "sectors" | "wavefronts"): Promise<Costs> {
  const run = async (files: Readonly<Record<string, string>>, ...argv: readonly string[]) => {
    const io = memoryIo("", files);
    expect(await main(argv, io), io.err()).toBe(0);
    return io.out();
  };
  const panel = await run({ "k.mlir": source }, "k.mlir", "--codegen", "--target", "cuda:80");
  const told = [...panel.matchAll(new RegExp(`^ +\\d+x ((?:ld|st)\\w*\\.\\S+).*\\n(?: {7}.*\\n)*? {7}(\\d+) ${unit} a warp`, "gm"))].map(
    (m) => `${m[1]} ${m[2]}`,
  );
  const dtype = { f32: "fp32", f16: "fp16", i8: "i8" }[element]!;
  const array = { dtype, shape: [length], init: "zeros" };
  const launch = JSON.stringify({ grid: [1, 1, 1], args: { p: array, q: array } });
  const ptx = await run({ "k.mlir": source }, "k.mlir", "--emit", "ptx", "--target", "cuda:80");
  const facts = await run({ "k.ptx": ptx, l: launch }, "run", "k.ptx", "--launch", "l", "--facts");
  const rows = [...facts.matchAll(/^ +(\d+) +([\d.]*) +[\d.]* +(?:(\d+) \(\d+\))? +line \d+: (?:@\S+ )?(\S+)/gm)];
  const measured = rows.flatMap(([, requests, sectors, wavefronts, name]) => {
    if (unit === "sectors") return sectors ? [`${name} ${Number(sectors)}`] : [];
    return wavefronts ? [`${name} ${Number(wavefronts) / Number(requests)}`] : [];
  });
  return { told: new Set(told), measured: new Set(measured) };
}

describe("sectors", () => {
  test.each([
    { name: "rows of 64 floats", s: 64, t: 1 },
    { name: "rows of bytes, far apart", s: 256, t: 1, element: "i8" },
    { name: "columns", s: 1, t: 32 },
    { name: "all rows the same", s: 0, t: 1 },
  ])("$name", async ({ s, t, element = "f32" }) => {
    const { told, measured } = await costs(copy({ s, t, element }), s * ROWS + t * COLUMNS + 1, element, "sectors");
    expect(told.size).toBeGreaterThan(0);
    expect(told).toEqual(measured);
  });
  test("nothing is said where neighbours lie apart, or an array may begin anywhere", async () => {
    expect((await costs(copy({ s: 128, t: 2 }), 8192, "f32", "sectors")).told.size).toBe(0);
    expect((await costs(copy({ s: 64, t: 1, hint: 4 }), 4096, "f32", "sectors")).told.size).toBe(0);
  });
});

describe("wavefronts", () => {
  const through = (
    shared: string,
  ) => `#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>
#s = ${shared}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %0 = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #b>
    %x = tt.load %0 : tensor<32x64x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc %x : (tensor<32x64xf32, #b>) -> !ttg.memdesc<32x64xf32, #s, #ttg.shared_memory>
    %y = ttg.local_load %m : !ttg.memdesc<32x64xf32, #s, #ttg.shared_memory> -> tensor<32x64xf32, #c>
    %1 = tt.splat %q : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #c>
    tt.store %1, %y : tensor<32x64x!tt.ptr<f32>, #c>
    tt.return
  }
}
`;
  test.each([
    ["conflicts", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"],
    ["swizzled", "#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>"],
    ["by columns", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>"],
    ["padded", "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [32, 64]}>"],
  ])("%s", async (_, shared) => {
    const { told, measured } = await costs(through(shared), 1, "f32", "wavefronts");
    expect(told.size).toBeGreaterThan(0);
    expect(told).toEqual(measured);
  });
  test("a conversion", async () => {
    const source = through("#c")
      .replace(/^#s = .*\n/m, "")
      .replace(/^ +%m = .*\n/m, "")
      .replace(/%y = .*/, "%y = ttg.convert_layout %x : tensor<32x64xf32, #b> -> tensor<32x64xf32, #c>");
    const { told, measured } = await costs(source, 1, "f32", "wavefronts");
    expect(told.size).toBeGreaterThan(1);
    expect(told).toEqual(measured);
  });
});
