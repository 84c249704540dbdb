import { describe, expect, test } from "vitest";
import { main } from "./cute-layout.js";
import { EXIT, type Io } from "./io.js";

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly files: ReadonlyMap<string, string>;
}

/** Runs the command in this process; `files` can be read, written ones come back. */
function run(argv: readonly string[], files: Readonly<Record<string, string>> = {}): Result {
  let [out, err] = ["", ""];
  const written = new Map<string, string>();
  const io: Io = {
    stdout: { write: (s) => void (out += s), writeBytes: (s) => void (out += s) },
    stderr: { write: (s) => void (err += s) },
    readFolder: () => undefined,
    readFile(path) {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("ENOENT: no such file or directory, open"), { code: "ENOENT" });
      return text;
    },
    writeFile: (path, text) => void written.set(path, text),
    clock: () => 0,
    env: {},
  };
  return { code: main(argv, io), out, err, files: written };
}

const ok = (...argv: string[]): string => {
  const r = run(argv);
  expect(r.err).toBe("");
  expect(r.code).toBe(EXIT.ok);
  return r.out;
};

test("a layout: itself and its table", () => {
  expect(ok("(_2,_4):(_4,_1)")).toBe(`(_2,_4):(_4,_1)
      0   1   2   3 
    +---+---+---+---+
 0  | 0 | 1 | 2 | 3 |
    +---+---+---+---+
 1  | 4 | 5 | 6 | 7 |
    +---+---+---+---+
`);
  expect(ok("((_4,_8),_2):((_16,_1),_8)").split("\n")[3]).toBe(" 0  |  0 |  8 |");
  expect(ok("_3:_2").split("\n")[0]).toBe("_3:_2");
  expect(ok("(2,2,2):(1,2,4)").split("\n")[1]).toBe("      0   1   2   3 ");
  expect(ok("Sw<1,1,1> o _0 o (_4,_4):(_4,_1)")).toContain("Sw<1,1,1> o _0 o (_4,_4):(_4,_1)\n");
});

test("eval prints exactly what the program prints; a bare expression gets a line", () => {
  expect(ok("eval", "print(coalesce(Layout<_8,_1>{}));")).toBe("_8:_1");
  expect(ok("eval", "coalesce(Layout<_8,_1>{})")).toBe("_8:_1\n");
  expect(ok("eval", "auto x = Int<N>{} * 2; x; print(x);", "--define", "N=5")).toBe("10\n10");
  expect(run(["eval", "--file", "k.cu"], { "k.cu": "print(_4{});" }).out).toBe("_4");
  expect(run(["eval", "-"], { "-": "print(_4{});" }).out).toBe("_4");
});

test("mma: the print, the instruction, layouts, partitions", () => {
  const out = ok("mma", "SM80_16x8x8_F32F16F16F32_TN", "--thr", "4,1,1", "--tile", "64,16,16", "--tensor", "64,64,128", "--thread", "19");
  expect(out).toContain("TiledMMA\n  ThrLayoutVMNK:  (_32,_4,_1,_1):(_1,_32,_0,_0)\n  PermutationMNK: (_64,_16,_16)\n");
  expect(out).toContain("PTX: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32\n");
  expect(out).toContain("LayoutA_TV: ((_4,_8,_4),((_2,_2),(_1,_2))):((_128,_1,_16),((_64,_8),(_0,_512)))\n");
  expect(out).toContain("partition_A: ((_2,_2),_1,_16):((_1,_1024),_0,_8)\n");
  expect(out).toContain("part_A_coords_t19: ((_2,_2),_1,_16) @ (4,6) (4,7) (12,6) (12,7) ");
});

test("copy carries itself out", () => {
  const out = ok(
    "copy",
    "AutoVectorizingCopyWithAssumedAlignment<128>",
    "--dtype",
    "half",
    "--thr",
    "8,16",
    "--val",
    "1,8",
    "--order",
    "row",
    "--tensor",
    "64,128",
    "--values",
    "arange",
    "--thread",
    "19",
    "--name",
    "tQsQ",
  );
  expect(out).toContain("tQsQ(7): 159.000000\n----------------------------------------\ntQsQ(8): 1176.000000\n");
  expect(out).toContain("tQsQ(63): 7328.000000\n");
  expect(out).toContain("S_offset_t19: 152\n");
});

test("the copy of an operand, and its instruction", () => {
  const out = ok("copy", "SM75_U32x4_LDSM_N", "--mma", "SM80_16x8x8_F32F16F16F32_TN", "--thr", "4,1,1", "--tile", "64,16,16");
  expect(out).toContain("TiledLayout_TV: ((_4,_8,_4),((_2,_2),(_1,_2))):((_128,_1,_16),((_64,_8),(_0,_512)))\n");
  expect(out).toContain("PTX: ldmatrix.sync.aligned.x4.m8n8.shared.b16\n");
});

test("a drawing says which lane names which row and which lane receives what", () => {
  const argv = ["copy", "SM75_U32x4_LDSM_N", "--mma", "SM80_16x8x8_F32F16F16F32_TN", "--tile", "16,8,16"];
  const svg = ok(...argv, "--format", "svg");
  expect(svg).toContain("S: which lane supplies the address of which row");
  expect(svg).toContain("D: which lane receives which fragment");
  expect(svg).toMatch(/<text[^>]*>T31<\/text>/);
  const html = ok(...argv, "--format", "html");
  expect(html).toContain("<h2>What each thread reads (S)</h2>");
  expect(html).toMatch(/<tr><th [^>]*>T1<\/th><td>\(1,0\)<\/td><td>\(1,1\)<\/td>/);
});

test("other formats", () => {
  const mma = ["mma", "SM80_16x8x8_F32F16F16F32_TN"];
  expect(ok(...mma, "--format", "latex")).toMatch(/^% LayoutC: ArithTuple\(_0,_0\) o /);
  expect(ok(...mma, "--format", "svg")).toMatch(/^<!-- {2}Tile: \(_16,_8,_8\) {2}-->\n/);
  expect(JSON.parse(ok(...mma, "--format", "json"))).toMatchObject({
    size: "_32",
    PTX: "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
  });
  expect(JSON.parse(ok("(_2,_2):(_2,_1)", "--format", "json"))).toMatchObject({ size: 4, offsets: [0, 2, 1, 3] });
  expect(ok("(_2,_2):(_2,_1)", "--format", "latex")).toMatch(/^% Layout: /);
  expect(ok("eval", "Layout<Shape<_2,_2>>{}", "--format", "svg")).toMatch(/^<svg /);
  expect(run(["_4:_1", "-o", "x.txt"]).files.get("x.txt")).toMatch(/^_4:_1\n/);
});

test("between Triton and CuTe", () => {
  expect(ok("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))", "--triton", "--tile", "16,8")).toBe(
    "#ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>\n",
  );
  expect(ok("mma", "SM80_16x8x16_F32F16F16F32_TN", "--triton").split("\n")).toHaveLength(4);
  const nvidia = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
  expect(ok("--from-triton", nvidia, "-t", "tensor<16x8xf32>")).toContain("Layout_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n");
  expect(ok("--from-triton", `#ttg.dot_op<{opIdx = 0, parent = ${nvidia}, kWidth = 2}>`, "-t", "tensor<16x16xf16>")).toContain(
    "Layout_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))\n",
  );
  const blocked = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>";
  expect(ok("--from-triton", blocked, "-t", "8x32")).toContain("Layout_TV: (");
});

describe("texts nested without end", () => {
  test.each([
    ["(", 258],
    ["eval (", 256],
    ["eval ~", 256],
    ["eval x=", 2 * 256 - 1],
    ["eval {", 257],
    ["eval A{", 2 * 256 - 1],
    ["eval if(x)", 5 * 256 - 1],
    ["eval A<[](){", 2 * 200 - 1],
  ] as const)("20,000 times %s", (words, column) => {
    const [command, part] = words.startsWith("eval ") ? ["eval", words.slice(5)] : [undefined, words];
    const { code, out, err } = run([...(command ? [command] : []), part.repeat(20_000)]);
    expect(code).toBe(EXIT.badInput);
    expect(out).toBe("");
    expect(err).toMatch(`<expression>:1:${column}: error: limit: more than 256 levels of nesting`);
  });
  test("what opens template arguments is tried once", () => {
    expect(run(["eval", "a<".repeat(200)]).err).toMatch("<expression>:1:401: error: the expression ends too early");
    expect(ok("eval", `${"1<".repeat(200)}1`)).toBe("1\n");
  });
  test("a long sum that is not nested, and a function that calls itself", () => {
    expect(ok("eval", `1${"+1".repeat(500)}`)).toBe("501\n");
    for (const text of [`1${"+1".repeat(20_000)}`, "auto f = [](auto g) { return g(g); }; f(f)"])
      expect(run(["eval", text]).err).toMatch("error: the expression is nested too deeply or too large");
  });
});

test.each([
  [["(4,8:(8,1)"], "the stride is not nested like the shape", 6],
  [["(4,8)"], "expected ':' and a stride after the shape", 6],
  [["((4,8):(8,1)"], "expected ')' before the end", 13],
  [["eval", "make_layout(make_shape(4, 8)"], "expected ')' before the end", 29],
  [["eval", "print(HeadDim / 8);"], "unknown name 'HeadDim'; if the code around defines it, give it a value: --define HeadDim=128", 7],
  [["eval", "print(BlockQO * HeadDim);"], "--define BlockQO=128; it lacks more: --define HeadDim=128", 7],
  [["eval", "print(coalesc(Layout<_8>{}));"], "unknown name 'coalesc'; did you mean coalesce?", 7],
  [["eval", "composition(Layout<Shape<_4,_6>,Stride<_6,_1>>{}, Layout<_2,_6>{})"], "stride divisibility condition", 1],
  [["eval", "print(tile_to_shape(Layout<_3>{}, _8{}));"], "does not divide", 7],
  [["eval", "auto x = Layout<_8>{}; x.compos(_2{});"], "unknown method 'compos'; did you mean compose?", 26],
  [["eval", "for (;;) {}"], "the loop runs more than", 1],
  [["mma", "SM80_16x8x16_F32F16F16F3_TN"], "did you mean SM80_16x8x16_F32F16F16F32_TN", 1],
  [["copy", "SM75_U32x4_LDSM"], "did you mean SM75_U32x4_LDSM_N", 1],
  [["mma", "SM80_16x8x8_F32F16F16F32_TN", "--tensor", "60,64,128"], "M = 60 is no multiple of 16", 42],
  [["mma", "SM80_16x8x8_F32F16F16F32_TN", "--thread", "32"], "thread 32 is outside of the 32 threads", 42],
  [["copy", "UniversalCopy<uint128_t>", "--thr", "8,16", "--val", "1,4"], "uses too few values", 48],
  [["copy", "UniversalCopy<uint128_t>", "--thr", "8,16", "--val", "1,8", "--tensor", "12,128"], "does not divide the tensor", 61],
  [["--fromat", "svg"], "unknown option '--fromat'; did you mean '--format'?", 1],
  [["(_4):(_1)", "--format", "png"], "--format expects text, latex, svg, html or json, not 'png'", 11],
  [["--from-triton", "#ttg.nvmma_shared<{}>", "-t", "16x16"], "no CuTe layout for #ttg.nvmma_shared", 1],
] as const)("%j: one line and a caret", (argv, message, column) => {
  const { code, out, err } = run(argv);
  expect(code).toBe(EXIT.badInput);
  expect(out).toBe("");
  const [first, , caret, ...rest] = err.split("\n");
  expect(first).toContain(message);
  expect(first).toMatch(new RegExp(`:1:${column}: error: `));
  expect(caret).toBe(`${" ".repeat(column - 1)}^`);
  expect(rest).toEqual([""]);
});

test("help, version and the list of atoms", () => {
  expect(ok("--help")).toContain("Usage: cute-layout LAYOUT");
  expect(ok("--version")).toMatch(/^cute-layout \d+\.\d+\.\d+\n$/);
  const atoms = ok("--atoms").split("\n");
  for (const name of ["SM61_DP4A", "SM70_8x8x4_F32F16F16F32_TT", "SM90_64x256x16_F16F16F16_RS", "SM90_U16x8_STSM_T", "SM120_16x8x64_TN_VS"])
    expect(atoms).toContain(name);
});
