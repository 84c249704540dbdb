/**
 * Seed 001 from end to end, with the article's figures. Its slips, corrected here: it says "Thread 9" where thread 19 is
 * meant (thread 9 owns row 0, columns 72 to 79), and it passes sizeof(uint128_t), 16 bytes, where the copy atom expects
 * bits, so that the atom promises 16 bits of alignment where the article speaks of 128.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { evaluate } from "./cxx/evaluate.js";

const code = readFileSync("fixtures/cute/seed-001/kernel.cu", "utf8");
const values = readFileSync("fixtures/cute/seed-001/thread-19.txt", "utf8");
const defines = new Map(
  Object.entries({
    NWarpsPerSM_: "4",
    HeadDim: "128",
    T: "half_t",
    B: "1",
    H: "32",
    N_QO: "2048",
    BlockQO: "64",
    bx: "0",
    by: "0",
    bz: "0",
    tx: "19",
  }),
);

function run(text: string, changes: Readonly<Record<string, string>> = {}): string {
  let out = "";
  evaluate(`${code}\n${text}`, { write: (s) => void (out += s), defines: new Map([...defines, ...Object.entries(changes)]) });
  return out;
}

test("the gmem copy: tile and thread-value layout", () => {
  expect(run("print(tiled_copy);")).toContain("TiledCopy\n  Tiler_MN:       (_8,_128)\n  TiledLayout_TV: ((_16,_8),_8):((_64,_1),_8)\n");
  expect(run("print(size(tiled_copy));")).toBe("_128");
});

test("thread 19, value 2 is at 209, which is (1,26); the thread owns row 1, columns 24 to 31", () => {
  expect(run("print(TiledCopyQKVO::TiledLayout_TV{}(make_coord(make_coord(3,1),2)));")).toBe("209");
  expect(run("print(idx2crd(209, Shape<_8,_128>{}));")).toBe("(1,26)");
  const owned = (thread: number) =>
    run(`auto p = tiled_copy.get_slice(${thread}).partition_S(make_identity_tensor(Shape<_8,_128>{})); for(int i=0;i<8;i++) print(p(i));`);
  expect(owned(19)).toBe("(1,24)(1,25)(1,26)(1,27)(1,28)(1,29)(1,30)(1,31)");
  expect(owned(9)).toBe("(0,72)(0,73)(0,74)(0,75)(0,76)(0,77)(0,78)(0,79)");
});

test("partitions of gQ and sQ", () => {
  expect(run("print(gQ.layout());")).toBe("(_64,_128):(128,_1)");
  expect(run("print(tQgQ.layout());")).toBe("((_1,_8),_8,_1):((_0,_1),1024,_0)");
  expect(run("print(tQsQ.layout());")).toBe("((_1,_8),_8,_1):((_0,_1),_1024,_0)");
  expect(run("print(size(tQsQ));")).toBe("_64");
});

test("the copy carried out: the 64 values of thread 19, rounded to half precision", () => {
  const out = run(`
    for (int i = 0; i < size(gQ); ++i) { gQ(i / 128, i % 128) = i; }
    for (int t = 0; t < size(tiled_copy); ++t) { copy(tiled_copy, tiled_copy.get_slice(t).partition_S(gQ), tiled_copy.get_slice(t).partition_D(sQ)); }
    for (int i = 0; i < size(tQsQ); ++i) {
      if (i > 0 && i % 8 == 0) printf("----------------------------------------\\n");
      printf("tQsQ(%d): %f\\n", i, float(tQsQ(i)));
    }`);
  expect(out).toBe(values);
});

test("the TiledMMA, all lines, for half_t and bfloat16_t", () => {
  const expected = `TiledMMA
  ThrLayoutVMNK:  (_32,_4,_1,_1):(_1,_32,_0,_0)
  PermutationMNK: (_64,_16,_16)
MMA_Atom
  ThrID:      _32:_1
  Shape_MNK:  (_16,_8,_8)
  LayoutA_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))
  LayoutB_TV: ((_4,_8),_2):((_16,_1),_8)
  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))
`;
  expect(run("print(tiled_mma);")).toBe(expected);
  expect(run("print(tiled_mma);", { T: "bfloat16_t" })).toBe(expected);
});

test("the copy of Q from shared memory to fragments", () => {
  expect(run("print(tiled_s2r_copy_Q);")).toBe(`TiledCopy
  Tiler_MN:       (_64,_16)
  TiledLayout_TV: ((_4,_8,_4),((_2,_2),(_1,_2))):((_128,_1,_16),((_64,_8),(_0,_512)))
Copy_Atom
  ThrID:        _32:_1
  ValLayoutSrc: (_32,_8):(_8,_1)
  ValLayoutDst: (_32,(_2,_4)):(_2,(_1,_64))
  ValLayoutRef: (_32,(_2,_4)):(_2,(_1,_64))
  ValueType:    16b
`);
  // (CPY, MMA_QO, MMA_HEAD), as CUTLASS prints them.
  expect(run("print(tXsQ.layout());")).toBe("((_8,_1),_1,_8):((_1,_0),_0,_16)");
  expect(run("print(tSrQ.layout());")).toBe("((_2,_2),_1,_16):((_1,_2),_0,_4)");
  expect(run("print(tXrQ.layout());")).toBe("((_8,_1),_1,_8):((_1,_0),_0,_8)");
});

/** The article only announces K (B, plain) and V (B, transposed); CUTLASS's prints of them are in tiled.json. */
test("the copies of K and V and the second product are among the golden cases", () => {
  const { cases } = JSON.parse(readFileSync("fixtures/cute/tiled.json", "utf8")) as {
    cases: { id: string; expr: string; output: Record<string, string> }[];
  };
  const mma = "make_tiled_mma(MMA_Atom<SM80_16x8x8_F32F16F16F32_TN>{}, Layout<Shape<_4,_1,_1>>{}, Tile<_64,_16,_16>{})";
  for (const [what, expr] of [
    ["tiled_s2r_copy_K", `make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N,cute::half_t>{}, ${mma})`],
    ["tiled_s2r_copy_V", `make_tiled_copy_B(Copy_Atom<SM75_U16x8_LDSM_T,cute::half_t>{}, ${mma})`],
    ["tiled_r2s_copy_O", `make_tiled_copy_C(Copy_Atom<UniversalCopy<uint32_t>,cute::half_t>{}, ${mma})`],
  ] as const) {
    const golden = cases.find((c) => c.expr === expr);
    expect(golden, what).toBeDefined();
    expect(run(`print(${expr.replace(mma, "tiled_mma")});`)).toBe(golden!.output["print"]);
  }
});
