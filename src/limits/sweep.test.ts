import { expect, test } from "vitest";
import { readSource } from "../index.js";
import { readGrid } from "./grid.js";
import { pruningJson, sweep, sweepText } from "./sweep.js";

const VECADD = `import triton
import triton.language as tl

@triton.jit
def vecadd(x, y, z, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(z + offs, tl.load(x + offs, mask=mask) + tl.load(y + offs, mask=mask), mask=mask)
`;
const source = () => {
  const types = ["x=*fp32:16", "y=*fp32:16", "z=*fp32:16", "n=i32:16"];
  const read = readSource({ name: "vecadd.py", text: VECADD, python: { types, constants: ["BLOCK=1024"] } });
  if (read.kind !== "module") throw new Error("no kernel");
  return read;
};
const gridOf = (text: string) => {
  const grid = readGrid(text);
  if ("error" in grid) throw new Error(grid.error);
  return grid;
};
const n = 2 ** 22;
const QUESTION = {
  args: { n },
  shapes: {},
  gpu: "a100",
  gridOf: (constants: ReadonlyMap<string, number>) => gridOf("cdiv(n, BLOCK)")(new Map([["n", n], ...constants])),
};

test("a sweep compiles each configuration with a grid of its own, and ranks them by their bound", () => {
  const found = sweep(source(), { ...QUESTION, axes: [["BLOCK", ["1024", "2048", "777"]]] });
  if (found.kind !== "sweep") throw new Error(found.message);
  expect(found.entries.map(({ kwargs, grid }) => [kwargs["BLOCK"], grid])).toEqual([
    ["1024", [4096]],
    ["2048", [2048]],
    ["777", expect.anything()],
  ]);
  expect(found.entries[2]!.refused).toMatch(/power of 2/);
  // Both move the same bytes: nothing says which is faster.
  expect(found.entries[0]!.limits!.time.from).toBe(found.entries[1]!.limits!.time.from);
  expect(sweepText(found)).toContain("BLOCK=1024");
  expect(pruningJson(found)).toMatchObject([{ kwargs: { BLOCK: 1024 }, binding: "DRAM" }, {}, { refused: expect.any(String) }]);
});

test("names that the kernel does not have are refused", () => {
  expect(sweep(source(), { ...QUESTION, axes: [["BLOK", ["1"]]] })).toMatchObject({
    kind: "error",
    message: expect.stringContaining("did you mean 'BLOCK'"),
  });
});

test("a grid is numbers or expressions of the launch's numbers", () => {
  const grid = gridOf("triton.cdiv(M, 128) * (N // 64 + 1), 3");
  expect(
    grid(
      new Map([
        ["M", 300],
        ["N", 128],
      ]),
    ),
  ).toEqual([9, 3]);
  expect(grid(new Map([["M", 300]]))).toEqual({ error: "the grid needs 'N', whose value is not known" });
  expect(gridOf("M - 5")(new Map([["M", 5]]))).toMatchObject({ error: expect.stringContaining("no programs") });
  expect(readGrid("cdiv(M")).toMatchObject({ error: expect.stringContaining("expects ','") });
  expect(readGrid("1,2,3,4")).toMatchObject({ error: "a grid has at most 3 axes, not 4" });
});
