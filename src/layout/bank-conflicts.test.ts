/** The algebra of bank conflicts against going through every access; the pairs are those of Triton's SwizzleTest.cpp and more. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockedMatrix } from "./arbitraries.fixture.js";
import { readAttribute } from "./attribute-reader.fixture.js";
import { amdBanks, bankConflictsMemDesc, largestVectorisationInOrder, simulateWavefronts } from "./bank-conflicts.js";
import { defaultCga } from "./encodings/cga.js";
import { paddedOffset } from "./encodings/padded-shared.js";
import { LinearLayout } from "./linear-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";

const mma = (version: string, warps: string, instr: string): string =>
  `#ttg.nvidia_mma<{versionMajor = ${version}, versionMinor = 0, warpsPerCTA = [${warps}], instrShape = [${instr}]}>`;
const dot = (opIdx: number, kWidth: number, parent: string): string =>
  `#ttg.dot_op<{opIdx = ${opIdx}, parent = ${parent}, kWidth = ${kWidth}}>`;
const nvmma = (bytes: number, bits: number, transposed = false): string =>
  `#ttg.nvmma_shared<{swizzlingByteWidth = ${bytes}, transposed = ${transposed}, elementBitWidth = ${bits}}>`;
const swizzled = (vec: number, perPhase: number, maxPhase: number): string =>
  `#ttg.swizzled_shared<{vec = ${vec}, perPhase = ${perPhase}, maxPhase = ${maxPhase}, order = [1, 0]}>`;

const line = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
const plainLine = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>";
const v2 = mma("2", "1, 4", "16, 8");

describe("extra wavefronts", () => {
  const cases: readonly (readonly [registers: string, shared: string, shape: readonly number[], bits: number, extra: number])[] = [
    [line, plainLine, [32], 32, 0],
    [line, plainLine, [32], 16, 0],
    [mma("3", "4, 1", "16, 32, 16"), nvmma(128, 16), [128, 128], 16, 0],
    [dot(1, 2, v2), nvmma(64, 16), [64, 32], 16, 0],
    [dot(0, 2, v2), nvmma(64, 16, true), [32, 64], 16, 0],
    [dot(1, 1, v2), nvmma(32, 8), [8, 32], 8, 0],
    [mma("2", "4, 1", "16, 8"), nvmma(64, 16, true), [64, 64], 16, 0],
    [mma("3", "2, 2", "16, 32, 16"), nvmma(64, 16), [64, 32], 16, 0],
    [mma("2", "4, 1", "16, 8"), nvmma(32, 8), [32, 32], 8, 0],
    [dot(1, 2, mma("2", "2, 4", "16, 8")), nvmma(0, 16), [4, 64], 16, 1],
    [mma("3", "4, 1", "16, 32, 16"), nvmma(128, 32), [128, 64], 32, 1],
  ];
  test.each(cases)("%s of %s", (registersText, sharedText, shape, bits, extra) => {
    const registers = toLinearLayout(shape, readAttribute(registersText));
    const shared = toLinearLayout(shape, readAttribute(sharedText));
    const { wavefronts, minWavefronts } = simulateWavefronts(registers, shared, bits);
    expect([bankConflictsMemDesc(registers, shared, bits), wavefronts / minWavefronts - 1]).toEqual([extra, extra]);
  });
});

test("reading down the columns of 32 rows conflicts 32-fold, unless they are swizzled", () => {
  const column = toLinearLayout(
    [32, 32],
    readAttribute("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>"),
  );
  const conflicts = (text: string): number => bankConflictsMemDesc(column, toLinearLayout([32, 32], readAttribute(text)), 32);
  expect(conflicts(swizzled(1, 1, 1))).toBe(31);
  expect(conflicts(swizzled(1, 1, 8))).toBe(3);
  expect(conflicts(swizzled(1, 1, 32))).toBe(0);
});

test("padding a row by one word frees the columns of conflicts", () => {
  const column = toLinearLayout(
    [32, 32],
    readAttribute("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>"),
  );
  const padded = readAttribute("#ttg.padded_shared<[32:+1] {order = [1, 0], shape = [32, 32]}>");
  if (padded.kind !== "padded_shared") throw new Error("not padded");
  const memory = toLinearLayout([32, 32], padded);
  expect(simulateWavefronts(column, memory, 32).wavefronts).toBe(32 * 32);
  const place = (offset: number): number => paddedOffset(padded, offset);
  expect(simulateWavefronts(column, memory, 32, { place })).toEqual({ vec: 1, instructions: 32, wavefronts: 32, minWavefronts: 32 });
});

test("the formula agrees with the simulator for blocked accesses of swizzled memory, at every vector width", () =>
  fc.assert(
    fc.property(
      blockedMatrix(4),
      fc.constantFrom(1, 2, 4, 8),
      fc.constantFrom(1, 2),
      fc.constantFrom(1, 2, 4, 8),
      fc.constantFrom(8, 16, 32),
      fc.constantFrom(4, 8, 16),
      (params, vec, perPhase, maxPhase, bits, bytes) => {
        const shape = [64, 64];
        const registers = toLinearLayout(shape, params);
        const shared = toLinearLayout(shape, { kind: "swizzled_shared", vec, perPhase, maxPhase, order: [1, 0], cga: defaultCga(2) });
        const { wavefronts, minWavefronts, vec: width } = simulateWavefronts(registers, shared, bits, { maxVectorBytes: bytes });
        fc.pre(width * bits >= 32); // narrower accesses share words, which the formula does not look at
        expect(bankConflictsMemDesc(registers, shared, bits, bytes)).toBe(wavefronts / minWavefronts - 1);
      },
    ),
    { seed: 13, numRuns: 60 },
  ));

test("vectors with registers in their order", () => {
  const cvt = LinearLayout.fromBases(
    [
      ["register", [[1], [2], [8], [4]]],
      ["lane", [[16]]],
    ],
    ["offset"],
  );
  expect(largestVectorisationInOrder(cvt, 16).vec).toBe(4);
  expect(largestVectorisationInOrder(LinearLayout.fromBases([["register", [[2], [1]]]], ["offset"]), 4).vec).toBe(1);
});

test("AMD's GPUs: 64 banks of gfx950 have no conflict where 32 have; loads of 16 bytes are served by parts of two rows of lanes", () => {
  const lanes = readAttribute("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 32], warpsPerCTA = [1, 1], order = [1, 0]}>");
  // Words of 8 bytes apart: 32 lanes want every other bank.
  const memory = readAttribute("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>");
  const rounds = (banks: number) =>
    simulateWavefronts(toLinearLayout([2, 32], lanes), toLinearLayout([2, 32], memory), 32, { rules: amdBanks(banks) });
  expect(rounds(32)).toMatchObject({ instructions: 1, wavefronts: 4, minWavefronts: 2 });
  expect(rounds(64)).toMatchObject({ instructions: 1, wavefronts: 1, minWavefronts: 1 });
  const groups = amdBanks(32).groups(4, 64, true);
  expect(groups[0]).toEqual([0, 1, 2, 3, 20, 21, 22, 23]);
  expect(groups[5]).toEqual([36, 37, 38, 39, 48, 49, 50, 51]);
  expect(groups.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, l) => l));
  expect(amdBanks(32).groups(4, 64, false)[1]).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
});
