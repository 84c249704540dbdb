import { describe, expect, test } from "vitest";
import { readAttribute, readDistributed } from "./attribute-reader.fixture.js";
import { isShared } from "./encoding-params.js";
import {
  areLayoutsEquivalent,
  getAllocationShapePerCTA,
  getContigPerThread,
  getContigPerWarp,
  getCTALayout,
  getCTASplitNumOf,
  getElemsPerThread,
  getNumCTAs,
  getOrder,
  getOrderForMemory,
  getRank,
  getRepOrder,
  getShapePerCTATile,
  getSharedAlignment,
  getSharedOrder,
  getSizePerThread,
  getThreadOrder,
  getThreadsPerWarp,
  getTotalElemsPerThread,
  getUniqueContigPerThread,
  getWarpOrder,
  getWarpsPerCTA,
  isExpensiveView,
  isInnermostContiguous,
  sizeInMemory,
} from "./encoding-queries.js";
import { cgaFromSplitParams, defaultCga, getCTAOrder, getCTAsPerCGA } from "./encodings/cga.js";
import { nvmmaSharedFor } from "./encodings/nvmma-shared.js";
import { swizzledSharedForNvidiaDot } from "./encodings/swizzled-shared.js";

const blocked = readDistributed("#ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 2], order = [1, 0]}>");
const mma = readDistributed("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>");

describe("of a blocked encoding", () => {
  const shape = [16, 128];
  test.each([
    ["elements per thread", getElemsPerThread, [4, 8]],
    ["size per thread", getSizePerThread, [2, 4]],
    ["threads per warp", getThreadsPerWarp, [4, 8]],
    ["warps per CTA", getWarpsPerCTA, [1, 2]],
    ["order", getOrder, [1, 0]],
    ["thread order", getThreadOrder, [1, 0]],
    ["warp order", getWarpOrder, [1, 0]],
    ["order for memory", getOrderForMemory, [1, 0]],
    ["contiguity per thread", getContigPerThread, [2, 4]],
    ["contiguity per warp", getContigPerWarp, [8, 32]],
    ["CTA tile", getShapePerCTATile, [8, 64]],
  ] as const)("%s", (_, query, expected) => expect(query(blocked, shape)).toEqual(expected));

  test("a tensor smaller than the tile: threads with duplicates do not count", () => {
    // The duplicate register counts for the dimension that registers moved last.
    expect(getElemsPerThread(blocked, [1, 8])).toEqual([1, 8]);
    expect(getThreadsPerWarp(blocked, [1, 8])).toEqual([1, 2]);
    expect(getUniqueContigPerThread(blocked, [1, 2])).toEqual([1, 2]);
    expect(getTotalElemsPerThread(blocked, [16, 128])).toBe(32);
  });

  test("registers without a say leave the order of memory to the lanes", () => {
    const columns = readDistributed(
      "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>",
    );
    expect(getOrder(columns, [32, 4])).toEqual([1, 0]);
    expect(getOrderForMemory(columns, [32, 4])).toEqual([0, 1]);
  });
});

test("of an mma encoding, its operands and slices", () => {
  expect(getElemsPerThread(mma, [64, 32])).toEqual([4, 4]);
  expect(getContigPerThread(mma, [64, 32])).toEqual([1, 2]);
  expect(getRepOrder({ kind: "dot_op", opIdx: 1, parent: mma, kWidth: 2 })).toEqual([0, 1]);
  expect(getRepOrder({ kind: "slice", dim: 0, parent: mma })).toEqual([0]);
  expect(getRank({ kind: "slice", dim: 0, parent: mma })).toBe(1);
});

test("equivalent layouts and views", () => {
  const linear = readDistributed(
    "#ttg.linear<{register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0]], warp = [[0, 32]], block = []}>",
  );
  expect(areLayoutsEquivalent([8, 64], blocked, linear)).toBe(true);
  expect(areLayoutsEquivalent([8, 64], blocked, mma)).toBe(false);
  const line = readDistributed("#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>");
  expect(isExpensiveView(blocked, [8, 64], line, [512])).toBe(false);
  expect(isExpensiveView(blocked, [8, 64], line, [64])).toBe(true);
});

test("of shared memory", () => {
  const nvmma = readAttribute("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>");
  if (!isShared(nvmma)) throw new Error("not shared");
  expect(getSharedOrder(nvmma, 2)).toEqual([0, 1]);
  expect(getSharedAlignment(nvmma)).toBe(1024);
  const fp4 = readAttribute("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>");
  expect(getAllocationShapePerCTA(fp4, [128, 64])).toEqual([128, 128]);
  expect(
    isInnermostContiguous(readAttribute("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"), [8, 16], 128),
  ).toBe(true);
  const padded = readAttribute("#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>");
  expect(sizeInMemory(padded, 16 * 32)).toBe(512 + 15 * 4);
});

describe("CTAs", () => {
  test("of a matmul: C is split both ways, A by rows, B by columns", () => {
    const cga = cgaFromSplitParams([2, 4], [2, 4], [1, 0]);
    const c = { kind: "blocked", sizePerThread: [1, 1], threadsPerWarp: [1, 32], warpsPerCTA: [4, 1], order: [1, 0], cga } as const;
    expect(getCTASplitNumOf(c)).toEqual([2, 4]);
    expect(getCTASplitNumOf({ kind: "dot_op", opIdx: 0, parent: c, kWidth: 0 })).toEqual([2, 1]);
    expect(getCTASplitNumOf({ kind: "dot_op", opIdx: 1, parent: c, kWidth: 0 })).toEqual([1, 4]);
    expect(getNumCTAs(c)).toBe(8);
    expect(getCTAOrder(cga)).toEqual([1, 0]);
  });

  test("that repeat a part, and those of a linear encoding", () => {
    const cga = cgaFromSplitParams([2, 2], [2, 1], [1, 0]);
    expect(cga.getInDimBases("block")).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(getCTAsPerCGA(cgaFromSplitParams([4, 1], [2, 1], [0, 1]))).toEqual([4, 1]);
    const linear = readAttribute("#ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]}>");
    expect(getCTALayout(linear)?.getInDimBases("block")).toEqual([[1]]);
    expect(
      getCTASplitNumOf(readAttribute("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2>")),
    ).toEqual([2, 1]);
  });
});

test("swizzling for a dot operand and for TMA", () => {
  const request = { opIdx: 0, kWidth: 2, order: [1, 0], cga: defaultCga(2), bitwidth: 16, needTrans: false, smallF64: false };
  expect(swizzledSharedForNvidiaDot({ ...request, shape: [16, 16] })).toMatchObject({ vec: 8, perPhase: 4, maxPhase: 2 });
  expect(swizzledSharedForNvidiaDot({ ...request, opIdx: 1, shape: [16, 8] })).toMatchObject({ vec: 8, perPhase: 8, maxPhase: 1 });
  expect(swizzledSharedForNvidiaDot({ ...request, shape: [128, 64] })).toMatchObject({ vec: 8, perPhase: 1, maxPhase: 8 });
  expect(nvmmaSharedFor([128, 64], [1, 0], defaultCga(2), 16, false)).toMatchObject({ swizzlingByteWidth: 128, transposed: false });
  expect(nvmmaSharedFor([128, 16], [0, 1], defaultCga(2), 8, false)).toMatchObject({ swizzlingByteWidth: 128, transposed: true });
  expect(nvmmaSharedFor([4, 64], [1, 0], defaultCga(2), 16, false)).toMatchObject({ swizzlingByteWidth: 0 });
});
