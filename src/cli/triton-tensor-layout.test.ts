/** `triton-tensor-layout`, through its main: against real Triton 3.6's prints, and every option and mistake. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MemoryIo, memoryIo } from "../testing/memory-io.js";
import { ENCODING_KINDS, type KindGroup } from "./layout-kinds.js";
import { main } from "./triton-tensor-layout.js";

const read = <Row>(name: string): readonly Row[] => JSON.parse(readFileSync(`fixtures/layout/${name}.json`, "utf8")) as readonly Row[];
const typeOf = (shape: readonly number[]): string => `tensor<${shape.map((size) => `${size}x`).join("")}f16>`;

async function run(argv: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<MemoryIo & { readonly code: number }> {
  const io = memoryIo("", files);
  return Object.assign(io, { code: await main(argv, io) });
}
async function output(...argv: readonly string[]): Promise<string> {
  const result = await run(argv);
  expect(result.err()).toBe("");
  expect(result.code).toBe(0);
  return result.out();
}
const blocked = (size: string, threads: string, warps: string): string =>
  `#ttg.blocked<{sizePerThread = ${size}, threadsPerWarp = ${threads}, warpsPerCTA = ${warps}, order = [1, 0]}>`;
const BLOCKED = blocked("[1, 4]", "[8, 4]", "[4, 1]");
const MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>";
const SHARED = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
const TYPE = "tensor<16x16xf16>";

describe("as Triton 3.6 answers", () => {
  test("all prints, by a prefix of their SHA-256", async () => {
    for (const [attr, shape, view, hash] of read<[string, number[], string, string]>("print-hashes")) {
      const text = await output("-l", attr, "-t", typeOf(shape), ...(view === "hw" ? ["-use-hw-view"] : []));
      const header = `Print layout attribute: ${attr}\n`;
      expect(text.slice(0, header.length)).toBe(header);
      expect(createHash("sha256").update(text.slice(header.length)).digest("hex").slice(0, 16), `${attr} ${view}`).toBe(hash);
    }
  });

  test("linear layouts, as JSON", async () => {
    for (const [attr, shape, bases] of read<[string, number[], [string, number[][]][]]>("linear-layouts")) {
      const json = JSON.parse(await output("-l", attr, "-t", typeOf(shape), "--format=json")) as Record<string, unknown>;
      expect(json["bases"], attr).toEqual(Object.fromEntries(bases));
      expect(json["outDims"], attr).toEqual(shape.map((size, d) => [`dim${d}`, size]));
    }
  });

  test("default encodings", async () => {
    for (const [shape, warps, threads, ctas, attr] of read<[number[], number, number, number, string]>("default-encodings")) {
      const sizes = ["--num-warps", String(warps), `--threads-per-warp=${threads}`, "-num-ctas", String(ctas)];
      expect(await output("--default", "-t", typeOf(shape), ...sizes)).toBe(`${attr}\n`);
    }
  });

  test("inference by Triton's builder", async () => {
    for (const [op, attr, shape, arg, result] of read<[string, string, number[], unknown, string]>("encoding-inference")) {
      const isBuffer = op.startsWith("memdesc");
      const type = isBuffer
        ? `!ttg.memdesc<${shape.join("x")}xf16, ${attr}, #ttg.shared_memory>`
        : `tensor<${shape.join("x")}xf16, ${attr}>`;
      expect(await output("--infer", op, "--arg", JSON.stringify(arg), "-t", type), `${op} ${attr}`).toContain(`f16, ${result}`);
    }
  });

  test("inference as the conversion to TritonGPU leaves it", async () => {
    for (const [op, type, arg, result] of read<[string, string, unknown, string]>("op-inference"))
      expect(await output("--infer", op, "--arg", JSON.stringify(arg), "-t", type), `${op} ${type}`).toBe(`${result}\n`);
  });

  test("linear algebra", async () => {
    type Row = Readonly<Record<string, unknown>>;
    const cases = read<Row>("linear-algebra");
    const { code, out } = await run(["algebra", "-i", "cases.json"], { "cases.json": JSON.stringify(cases) });
    expect(code).toBe(0);
    const answers = JSON.parse(out()) as Row[];
    expect(answers.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
    cases.forEach((given, i) => {
      for (const key of ["result", "resultString", "points", "isZero", "isTrivialOver", "action"])
        if (key in given) expect(answers[i]![key], `${String(given["id"])} ${key}`).toEqual(given[key]);
      const { isSurjective, isInjective, isInvertible } = (answers[i]!["props"] ?? {}) as Row;
      if ("props" in given) expect([isSurjective, isInjective, isInvertible], String(given["id"])).toEqual(given["props"]);
    });
  });
});

describe("files of aliases", () => {
  const file = "fixtures/layout-cli/aliases.mlir";
  const header = (name: string, text: string): string => `Print layout attribute: #${name} = ${text}`;
  const first = header("first", "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>");
  test("all of them in their order, then -l", async () => {
    const lines = (
      await output(
        "-i",
        file,
        "-t",
        "tensor<2xf16>",
        "-l",
        "#ttg.blocked<{sizePerThread=[1],threadsPerWarp=[32],warpsPerCTA=[1],order=[0]}>",
      )
    ).split("\n");
    expect(lines).toHaveLength(7);
    expect(lines[0]).toBe(first);
    expect(lines[2]).toMatch(/^Print layout attribute: #second = #ttg\.slice/);
    expect(lines[4]).toBe(first.replace("#first = ", ""));
    expect(lines[1]).toBe(lines[5]);
  });
  test("some of them, with an empty line after each", async () => {
    const text = await output("-i=" + file, "-t=tensor<2xf16>", "--alias-names=second,first");
    expect(text.split("\n").map((line) => line.slice(0, 32))).toEqual([
      "Print layout attribute: #second ",
      "[ T0:0| T2:0| T4:0| T6:0| T8:0|T",
      "",
      "Print layout attribute: #first =",
      "[ T0:0| T2:0| T4:0| T6:0| T8:0|T",
      "",
      "",
    ]);
  });
  test("those of a kernel, though not all are layouts", async () => {
    const kernel = "fixtures/layout-cli/kernel.ttgir";
    expect(await output("-i", kernel, "-t", TYPE, "-alias-names", "mma")).toMatch(/^Print layout attribute: #mma = #ttg\.nvidia_mma/);
    const all = await run(["-i", kernel, "-t", TYPE]);
    expect([all.code, all.out(), all.err()]).toEqual([1, "", "Unsupported tensor layout attribute: #ttg.shared_memory\n"]);
  });
  test("-o", async () => {
    const result = await run(["-i", file, "-t", "tensor<2xf16>", "-alias-names", "first", "-o", "out.txt"]);
    expect(result.out()).toBe("");
    expect(result.written.get("out.txt")?.split("\n")[0]).toBe(first);
  });
});

describe("values of a kernel", () => {
  const kernel = "fixtures/layout-cli/kernel.ttgir";
  test("a tensor, a buffer, an argument of one function", async () => {
    expect(await output("-i", kernel, "--value", "@kernel:%0")).toBe(await output("-l", MMA, "-t", TYPE));
    expect(await output("-i", kernel, "--value=%1")).toBe(
      await output("-l", SHARED.replace("perPhase = 1, maxPhase = 8", "perPhase = 2, maxPhase = 4"), "-t", "tensor<16x32xf16>"),
    );
    expect(await output("-i", kernel, "--value", "@other:%arg0", "--thread", "3")).toBe(
      await output("-l", MMA, "-t", TYPE, "--thread", "3"),
    );
  });
  test.each([
    ["%0", "error: several values of the file are called %0: ask for @kernel:%0, @other:%0\n"],
    ["%7", "error: the file has no value %7\n"],
    ["%2", "error: %2 is no tensor and no buffer, but has type i32\n"],
    ["7", "error: --value must be a name like %23 or @function:%23, not '7'\n"],
  ])("%s", async (value, message) => {
    const result = await run(["-i", kernel, "--value", value]);
    expect([result.code, result.err()]).toEqual([2, message]);
  });
});

test("a kernel of 3.5, whose layouts name CTAs in the older way", async () => {
  const attr = BLOCKED.replace("}>", ", CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>");
  const kernel = readFileSync("fixtures/layout-cli/kernel.ttgir", "utf8").replace(BLOCKED, attr);
  const result = await run(["-i", "old.ttgir", "--value", "@kernel:%arg0"], { "old.ttgir": kernel });
  expect(result.err()).toBe("");
  expect(result.out()).toBe(await output("-l", attr, "-t", TYPE));
});

describe("older spellings print as their eras did", () => {
  test.each([
    [
      "#triton_gpu.blocked<{sizePerThread=[1,1],threadsPerWarp=[4,8],warpsPerCTA=[1,1],order=[1,0],CTAsPerCGA=[2,1],CTASplitNum=[2,1],CTAOrder=[0,1]}>",
      undefined,
    ],
    [
      "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
      "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = false}>",
    ],
    [
      "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [0, 1], hasLeadingOffset = true}>",
      undefined,
    ],
    ["#triton_gpu.mma<{version = 2, warpsPerCTA = [2, 2]}>", undefined],
    ["#triton_gpu.mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2]}>", undefined],
    ["#triton_gpu.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>", undefined],
    [
      "#triton_gpu.slice<{dim = 0, parent = #triton_gpu.slice<{dim = 0, parent = #triton_gpu.blocked<{sizePerThread = [1, 1, 1, 1], threadsPerWarp = [1, 1, 4, 8], warpsPerCTA = [1, 1, 1, 1], order = [3, 2, 1, 0]}>}>}>",
      undefined,
    ],
    [
      "#triton_gpu.dot_op<{opIdx = 0, parent = #triton_gpu.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>",
      undefined,
    ],
    [
      "#triton_gpu.amd_mfma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [32, 32], isTransposed = false}>",
      undefined,
    ],
    ["#triton_gpu.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [2, 2]}>", undefined],
    ["#triton_gpu.amd_wmma<{warpsPerCTA = [2, 2]}>", undefined],
    ["#triton_gpu.blocked_layout<{sizePerThread = {2, 2} threadsPerWarp = {8, 4} warpsPerCTA = {1, 2}}>", undefined],
    [
      "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0], CTAsPerCGA = [2, 1], CTASplitNum = [1, 1], CTAOrder = [0, 1]}>",
      undefined,
    ],
    [
      "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0], CTAsPerCGA = [1, 2], CTASplitNum = [1, 2], CTAOrder = [1, 0]}>",
      undefined,
    ],
    [
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, CTAsPerCGA = [2, 1], CTASplitNum = [2, 1], CTAOrder = [1, 0]}>",
      undefined,
    ],
  ])("%s", async (attr, printed) => {
    const text = await output("-l", attr, "-t", "tensor<64x64xf16>");
    const expected = printed ?? attr.replace(/\s*([=,])\s*/g, (_, c: string) => (c === "=" ? " = " : ", ")).replace("}", "}");
    expect(text.split("\n")[0]).toBe(`Print layout attribute: ${expected}`);
    expect(text.split("\n").length).toBeGreaterThan(64);
  });
  test("they lay out as what they became", async () => {
    const body = async (attr: string, type: string): Promise<string> => (await output("-l", attr, "-t", type)).replace(/^.*\n/, "");
    const leading = "#triton_gpu.shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0], hasLeadingOffset = true}>";
    expect(await body(leading, "tensor<16x64xf32>")).toBe(
      await body("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 32}>", "tensor<16x64xf32>"),
    );
    const operand = (mma: string, width: string): string =>
      `#${mma.startsWith("mma") ? "triton_gpu" : "ttg"}.dot_op<{opIdx = 1, parent = #${mma.startsWith("mma") ? "triton_gpu" : "ttg"}.${mma}${width}}>`;
    for (const [type, width] of [
      ["tensor<64x64xi8>", 4],
      ["tensor<64x64xf16>", 2],
      ["tensor<64x64xf32>", 1],
    ] as const)
      expect(await body(operand("mma<{version = 2, warpsPerCTA = [2, 2]}>", ""), type)).toBe(
        await body(
          operand("nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>", `, kWidth = ${width}`),
          type,
        ),
      );
  });
  test("what the tool has no layout for it reads and prints", async () => {
    const volta = "nvidia_mma<{versionMajor = 1, versionMinor = 2, warpsPerCTA = [2, 2], instrShape = [16, 16]}>";
    for (const attr of [
      `#ttg.${volta}`,
      `#triton_gpu.${volta}`,
      "#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>",
      "42 : i32",
    ]) {
      const result = await run(["-l", attr, "-t", TYPE]);
      expect([result.code, result.out(), result.err()]).toEqual([1, "", `Unsupported tensor layout attribute: ${attr}\n`]);
    }
  });
});

describe("beyond Triton's tool", () => {
  test("--crop is a part of the whole print", () =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: 15 }), fc.nat({ max: 15 }), fc.nat({ max: 15 }), fc.nat({ max: 15 }), async (a, b, c, d) => {
        const [r0, r1, c0, c1] = [Math.min(a, b), Math.max(a, b) + 1, Math.min(c, d), Math.max(c, d) + 1];
        const attr = a % 2 === 0 ? BLOCKED : SHARED;
        const cells = (text: string): string[][] =>
          text
            .split("\n")
            .slice(1, -1)
            .map((line) => line.match(/\(\s*\d+:\s*\d+\)|T\d+:\d+(?:\|\s*T\d+:\d+)*/g) ?? []);
        const whole = cells(await output("-l", attr, "-t", TYPE));
        const part = cells(await output("-l", attr, "-t", TYPE, "--crop", `${r0}:${r1},${c0}:${c1 === 16 ? "" : c1}`));
        expect(part).toEqual(whole.slice(r0, r1).map((row) => row.slice(c0, c1)));
      }),
      { seed: 7, numRuns: 60 },
    ));

  test("--crop of three dimensions closes its brackets", async () => {
    const attr = "#ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>";
    expect((await output("-l", attr, "-t", "tensor<4x4x8xf16>", "--crop", "1:3,2:4,0:2")).split("\n").slice(1)).toEqual([
      "[[[T16:1, T17:1]",
      "[  T24:1, T25:1]]",
      "[[ T16:2, T17:2]",
      "[  T24:2, T25:2]]]",
      "",
    ]);
  });

  test("--thread lists what a thread owns, in every block", async () => {
    expect(await output("-l", BLOCKED.replace("}>", ", CGALayout = [[0, 1]]}>"), "-t", "tensor<32x32xf16>", "--thread", "33")).toBe(
      `Print layout attribute: ${BLOCKED.replace("}>", ", CGALayout = [[0, 1]]}>")}
Block 0, thread 33 (warp 1, lane 1): 4 registers
  0: (8, 4)
  1: (8, 5)
  2: (8, 6)
  3: (8, 7)
Block 1, thread 33 (warp 1, lane 1): 4 registers
  0: (8, 20)
  1: (8, 21)
  2: (8, 22)
  3: (8, 23)
`,
    );
    const json = JSON.parse(await output("-l", BLOCKED, "-t", TYPE, "--thread=all", "--format", "json")) as unknown[];
    expect(json).toHaveLength(128);
  });

  test("--convert tells where every register comes from", async () => {
    const report = JSON.parse(await output("-l", BLOCKED, "-t", TYPE, "--convert", MMA, "--thread", "all", "--format", "json")) as {
      readonly means: string;
      readonly moves: Readonly<Record<string, number>>;
      readonly threads: readonly { thread: number; moves: readonly { from: Record<string, number>; to: Record<string, number> }[] }[];
    };
    const owned = async (attr: string): Promise<Map<string, string>> =>
      new Map(
        (
          JSON.parse(await output("-l", attr, "-t", TYPE, "--thread=all", "--format=json")) as { thread: number; registers: number[][] }[]
        ).flatMap(({ thread, registers }) => registers.map((at, register) => [`${thread}:${register}`, at.join()] as const)),
      );
    const [from, to] = [await owned(BLOCKED), await owned(MMA)];
    expect(report.threads).toHaveLength(128);
    for (const { thread, moves } of report.threads)
      for (const move of moves)
        expect(from.get(`${move.from["warp"]! * 32 + move.from["lane"]!}:${move.from["register"]}`)).toBe(
          to.get(`${thread}:${move.to["register"]}`),
        );
    expect(Object.values(report.moves).reduce((sum, n) => sum + n, 0)).toBe(128 * 8);
    const text = await output("-l", BLOCKED, "-t", TYPE, "--convert", BLOCKED);
    expect(text).toContain("Nothing moves; by means of: nothing\n");
    expect(text.split("Thread 0:\n")[1]).toBe("  T0:0 <- T0:0\n  T0:1 <- T0:1\n  T0:2 <- T0:2\n  T0:3 <- T0:3\n");
  });

  test("--conflicts counts wavefronts", async () => {
    const rows = blocked("[1, 8]", "[4, 8]", "[4, 1]");
    const conflicts = async (shared: string, registers: string, bytes: string): Promise<Record<string, number>> =>
      JSON.parse(
        await output("-l", shared, "-t", "tensor<64x64xf16>", "--conflicts", registers, "--vec-bytes", bytes, "--format=json"),
      ) as Record<string, number>;
    expect(await conflicts(SHARED, rows, "16")).toMatchObject({
      vec: 8,
      wavefronts: 64,
      minWavefronts: 64,
      extraWavefronts: 0,
      formula: 0,
    });
    expect(await conflicts(SHARED, rows, "4")).toMatchObject({ vec: 2, wavefronts: 256, minWavefronts: 64, formula: 3 });
    const columns = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>";
    const plain = SHARED.replace("maxPhase = 8", "maxPhase = 1");
    expect(await conflicts(plain, columns, "2")).toMatchObject({ vec: 1, formula: 31 });
    expect(await output("-l", plain, "-t", "tensor<64x64xf16>", "--conflicts", rows)).toContain("bank conflicts    none\n");
    const padded = "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>";
    expect(await conflicts(padded, columns, "2")).toMatchObject({ vec: 1, extraWavefronts: 32 * 4 * 3 });
  });

  test("--kinds knows every encoding", async () => {
    const kinds = (groups: readonly KindGroup[]): string[] =>
      groups.flatMap((group) => [...(group.kinds ?? []).map(({ kind, dialect }) => `#${dialect}.${kind}`), ...kinds(group.groups ?? [])]);
    const names = kinds(ENCODING_KINDS);
    expect([...names].sort()).toEqual(
      "amd_mfma amd_rotating_shared amd_wmma blocked dot_op generic_linear linear nvidia_mma nvmma_shared padded_shared shared_linear slice swizzled_shared"
        .split(" ")
        .map((kind) => `#ttg.${kind}`)
        .concat("#ttng.tensor_memory_encoding", "#ttng.tensor_memory_scales_encoding"),
    );
    const text = await output("--kinds");
    for (const name of names) expect(text).toContain(`${name}: `);
    expect(JSON.parse(await output("--kinds", "--format=json"))).toEqual(ENCODING_KINDS);
  });
});

describe("drawings", () => {
  const cells = (svg: string): string[] => [...svg.matchAll(/<g class="cell"[^>]*><title>([^<]*)<\/title>/g)].map((m) => m[1]!);
  test("a cell for every element, which tells who holds it", async () => {
    const svg = await output("-l", BLOCKED, "-t", TYPE, "--format", "svg");
    expect(cells(svg)).toHaveLength(256);
    expect(cells(svg)[17]).toBe("(1, 1)\nthread 4 (warp 0, lane 4), register 1\nthread 68 (warp 2, lane 4), register 1");
    expect(svg.match(/<g class="key"/g)).toHaveLength(64);
    expect(svg).toContain("prefers-color-scheme: dark");
    expect(svg).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });
  test("colours by warp and register; a thread pointed out; a part", async () => {
    const colors = async (...more: string[]): Promise<number> =>
      ((await output("-l", BLOCKED, "-t", TYPE, "--format=svg", ...more)).match(/<g class="key"/g) ?? []).length;
    expect(await colors("--color-by", "warp")).toBe(2);
    expect(await colors("--color-by=register")).toBe(4);
    const svg = await output("-l", BLOCKED, "-t", TYPE, "--format=svg", "--thread", "4", "--crop", "0:2,0:8");
    expect(cells(svg)).toHaveLength(16);
    expect(svg.match(/opacity="0.2"/g)).toHaveLength(12);
  });
  test("shared memory by bank, three dimensions as grids of two, one dimension as a row", async () => {
    const svg = await output("-l", SHARED, "-t", "tensor<8x64xf16>", "--format", "svg");
    expect(cells(svg)[64 + 8]).toBe("(1, 8)\nblock 0, offset 64 (byte 128), bank 0");
    const deep = "#ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 4, 8], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>";
    expect(await output("-l", deep, "-t", "tensor<2x4x8xf16>", "--format=svg")).toContain("[1, :, :]");
    const flat = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>";
    expect(cells(await output("-l", flat, "-t", "tensor<64xf16>", "--format=svg"))).toHaveLength(64);
  });
  test("one page for several layouts", async () => {
    const html = await output("-i", "fixtures/layout-cli/aliases.mlir", "-t", "tensor<8xf16>", "--format", "html");
    expect(html.match(/<figure>/g)).toHaveLength(2);
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).not.toMatch(/(?:src|href)=/);
  });
});

describe("mistakes", () => {
  const L = ["-l", BLOCKED];
  const T = ["-t", TYPE];
  const cases: readonly (readonly [argv: readonly string[], code: number, message: string | RegExp])[] = [
    [[...L], 1, "Must specify the tensor type argument\n"],
    [[...L, "-t", "tensor<16x"], 1, /^-t:1:11: error: .*\ntensor<16x\n {10}\^\nFail to parse the tensor type argument: tensor<16x\n$/],
    [[...L, "-t", "i32"], 1, "Invalid tensor type argument: i32\n"],
    [[...L, "-t", "tensor<*xf16>"], 1, "Invalid tensor type argument: tensor<*xf16>\n"],
    [[...L, "-t", "tensor<?x16xf16>"], 1, "Invalid tensor type argument: tensor<?x16xf16>\n"],
    [
      ["-l", "#ttg.blokked<{}>", ...T],
      1,
      /^-l:1:6: error: unknown attribute `blokked` in dialect `ttg`.*\n.*\n {5}\^\nInvalid layout attribute: #ttg\.blokked<\{\}>\n$/,
    ],
    [
      ["-l", BLOCKED.replace("[1, 0]", "[1, 1]"), ...T],
      1,
      /error: order must be a permutation of 0\.\.\(rank-1\), but was \[1, 1\].*\n.*\n.*\^\nInvalid layout attribute: /,
    ],
    [["-l", "#foo", ...T], 1, /undefined symbol alias id 'foo'.*\n#foo\n\^\nInvalid layout attribute: #foo\n$/],
    [[...L, "-t", "tensor<16xf16>"], 2, /^error: .*: the layout has rank 2, but the tensor has rank 1\n$/],
    [[...L, "-t", "tensor<12x16xf16>"], 2, /^error: .*: the shape must consist of powers of two, but contains 12\n$/],
    [[...L, "-t", "tensor<0x16xf16>"], 2, /contains 0\n$/],
    [[...L, "-t", "tensor<1048576x1048576xf16>"], 2, /too large\n$/],
    [["-i", "no-such-file", ...T], 1, "Could not open input file: No such file or directory\n"],
    [
      ["-i", "fixtures/layout-cli/aliases.mlir", "-t", "tensor<8xf16>", "-alias-names", "nope"],
      1,
      "Can't find the layout attribute: nope\n",
    ],
    [["-i", "empty", ...T, "-alias-names=a"], 1, "Can't find the layout attribute: a\n"],
    [["-i", "broken", ...T], 1, /^broken:1:11: error: .*\n.*\n.*\^\nFail to parse the input file: broken\n$/],
    [["--lay", BLOCKED], 2, /^triton-tensor-layout: unknown option .--lay./],
    [["--formt=json", ...L, ...T], 2, /did you mean '--format'\?/],
    [["stray"], 2, /unexpected argument 'stray'/],
    [[...L, ...L], 2, "triton-tensor-layout: -l may be given only once. Try: triton-tensor-layout --help\n"],
    [["-t"], 2, "triton-tensor-layout: -t needs a value: TYPE. Try: triton-tensor-layout --help\n"],
    [["-use-hw-view=maybe"], 2, /expects true or false/],
    [[...L, ...T, "--format=pdf"], 2, /--format expects text, json, svg or html, not .pdf./],
    [
      ["-l", "#ttg.blocked<{sizePerThread = [65536, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>", ...T],
      2,
      /8388608 places are too many/,
    ],
    [[...L, ...T, "--crop", "0:4"], 2, /needs a range for each of 2 dimensions/],
    [[...L, ...T, "--crop", "4:4,0:4"], 2, /leaves nothing of dimension 0/],
    [[...L, ...T, "--crop", "a:4,0:4"], 2, /needs ranges like/],
    [[...L, ...T, "--thread", "128"], 2, "error: --thread must be a number from 0 to 127, not '128'\n"],
    [["-l", SHARED, ...T, "--thread", "0"], 2, /must be a distributed layout/],
    [["-l", SHARED, ...T, "--format=svg", "--color-by=warp"], 2, /shared memory has banks/],
    [[...L, "-t", "tensor<256x256xf16>", "--format=svg"], 2, /choose a part with --crop/],
    [[...L, ...T, "--convert", SHARED], 2, /--convert must be a distributed layout/],
    [[...L, ...T, "--conflicts", BLOCKED], 2, /-l with --conflicts must be a layout of shared memory/],
    [["-l", SHARED, ...T, "--conflicts", BLOCKED, "--vec-bytes=3"], 2, /expects a power of 2 from 1 to 16/],
    [["--default", "-t", "tensor<12xf16>"], 2, /powers of two, but contains 12/],
    [["--default", "-t", "tensor<16xf16>", "--num-warps=3"], 2, /--num-warps expects a power of 2 from 1 to 524288, not .3./],
    [["--infer", "transpose", ...L, ...T], 2, /--infer does not know 'transpose'/],
    [["--infer", "trans", ...T], 2, /the layout of the operand is missing/],
    [["--infer", "trans", ...L, ...T, "--arg", "[0"], 2, "error: --arg is no JSON: [0\n"],
    [["--infer", "trans", ...L, ...T, "--arg", "[0, 0]"], 2, /must be a permutation/],
    [["--infer", "reshape", ...L, ...T, "--arg", "[512]"], 2, "error: numel of dst shape does not match numel of src shape\n"],
    [["--infer", "expand_dims", ...L, ...T, "--arg", "0"], 2, "error: ExpandDimsOp operand encoding must be SliceEncodingAttr\n"],
    [["--infer", "expand_dims", ...L, ...T, "--arg", "9"], 2, "error: --arg must be an axis from 0 to 2\n"],
    [["--infer", "split", ...L, ...T], 2, "error: SplitOp input shape should have 2 in the last dim\n"],
    [["--infer", "broadcast", ...L, ...T, "--arg", "[32, 16]"], 2, /Broadcast requires the source dimension to be 1/],
    [["--infer", "dot", ...L, ...T, "--arg", "{}"], 2, /must be an object with 'b'/],
    [["algebra"], 2, /needs a file of cases/],
    [["algebra", "-i", "empty"], 2, /is no JSON/],
    [["--value", "%0"], 2, /needs the file/],
  ];
  test.each(cases.map(([argv, code, message]) => [argv.join(" ").slice(0, 150), argv, code, message] as const))(
    "%s",
    async (_, argv, code, message) => {
      const result = await run(argv, { empty: "", broken: "#a = #ttg.\n" });
      if (typeof message === "string") expect(result.err()).toBe(message);
      else expect(result.err()).toMatch(message);
      expect([result.code, result.out()]).toEqual([code, ""]);
      expect(result.err()).not.toMatch(/\n {4}at /);
    },
  );

  test("an empty file has nothing to print", async () => {
    const result = await run(["-i", "empty", ...T], { empty: "" });
    expect([result.code, result.out(), result.err()]).toEqual([0, "", ""]);
  });

  test("ten thousand characters: the complaint is short, the line that Triton prints is whole", async () => {
    const attr = `#ttg.blocked<{${"a".repeat(10_000)} = 1}>`;
    const result = await run(["-l", attr, ...T]);
    const lines = result.err().split("\n");
    expect(result.code).toBe(1);
    expect(lines.slice(0, -2).every((line) => line.length < 250)).toBe(true);
    expect(lines.slice(-2)).toEqual([`Invalid layout attribute: ${attr}`, ""]);
    expect((await run(["-l", "[".repeat(10_000), ...T])).code).toBe(1);
  });

  test("cases of algebra that make no sense are answered one by one", async () => {
    const a = { bases: [["x", [[1]]]], outDims: [["y", 2]] };
    const wide = { bases: [["x", [[9]]]], outDims: [["y", 2]] };
    const cases = [
      { id: 1, op: "toString", a },
      { id: 2, op: "nope" },
      { id: 3, op: "invert", a: wide },
      4,
      { id: 5, op: "sublayout", a, ins: ["z"], outs: [] },
    ];
    const result = await run(["algebra", "-i", "c.json"], { "c.json": JSON.stringify(cases) });
    expect(result.code).toBe(2);
    const answers = JSON.parse(result.out()) as Record<string, unknown>[];
    expect(answers[0]!["error"]).toBeUndefined();
    expect(answers.slice(1).every(({ error }) => typeof error === "string" && !error.includes("\n"))).toBe(true);
  });

  test("--help names every option, --version the version", async () => {
    const help = await output("--help");
    for (const option of ["-l ATTR", "--use-hw-view", "--crop", "--vec-bytes"]) expect(help).toContain(option);
    expect(await output("--version")).toMatch(/^triton-tensor-layout \d/);
  });
});

test("a layout may be written as Gluon does, and is written so", async () => {
  const attr = `#ttg.slice<{dim = 1, parent = ${BLOCKED}}>`;
  const parent = "gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, 1], order=[1, 0])";
  const gluon = `gl.SliceLayout(dim=1, parent=${parent})`;
  expect(await output("-l", attr, "--as", "gluon")).toBe(`${gluon}\n`);
  expect(await output("-l", gluon, "--as", "gluon")).toBe(`${gluon}\n`);
  expect(await output("-l", gluon, "-t", "tensor<16xf16>")).toBe(await output("-l", attr, "-t", "tensor<16xf16>"));
  expect(await output("-l", "gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)", "--as", "gluon")).toBe(
    "gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)\n",
  );
  expect(await output("-l", "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>", "--as", "gluon")).toBe(
    "blackwell.TensorMemoryLayout(block=[128, 64], col_stride=1)\n",
  );
});

test.each([
  ["gl.BlockedLayout([1, 3], [8, 4], [4, 1], [1, 0])", "Every element in sizePerThread"],
  ["gl.BlockedLayout([1, 4], [8, 4], [4, 1])", "missing 1 required positional argument"],
  ["gl.NoLayout()", "NoLayout"],
  ["AutoLayout()", "is for the compiler to choose"],
])("a wrong layout of Gluon is refused: %s", async (layout, reason) => {
  const result = await run(["-l", layout, "-t", TYPE]);
  expect(result.code).toBe(2);
  expect(result.err()).toContain(reason);
});

test("facts and the way of an element as a drawing and as a page", async () => {
  const layout = ["-l", "#ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [1, 0]}>", "-t", "tensor<4x4xf16>"];
  const written = async (...argv: string[]) => {
    const io = memoryIo();
    expect(await main([...layout, ...argv], io), io.err()).toBe(0);
    return io.out();
  };
  expect(await written("--facts", "--format", "svg")).toMatch(/^<svg(?:.*\n)*.*\(2:2\),\S?\s\(2:3\),/);
  expect(await written("--facts", "--format", "html")).toContain("row  2, phase 1: group 0 -&gt; 1");
  expect(await written("--element", "2,1", "--format", "html")).toContain("it is at offset 11");
  const io = memoryIo();
  expect(await main([...layout, "--facts", "--format", "json"], io)).not.toBe(0);
  expect(io.err()).toContain("--facts is written as text, svg or html, not as json");
});
