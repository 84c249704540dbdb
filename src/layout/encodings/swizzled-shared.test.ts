/** Small memories, drawn as in Triton's documentation: row r of the picture is row r of memory, with the column that each place holds. */
import { describe, expect, test } from "vitest";
import type { AmdMfmaParams, AmdWmmaParams, BlockedParams } from "../encoding-params.js";
import { toLinearLayout } from "../to-linear-layout.js";
import { defaultCga } from "./cga.js";
import { dotOperandFor } from "./dot-operand.js";
import { swizzledSharedForDot } from "./shared-for-dot.js";

type Kind = "swizzled_shared" | "amd_rotating_shared";

function picture(
  kind: Kind,
  [vec, perPhase, maxPhase]: readonly [number, number, number],
  [rows, columns]: readonly [number, number],
): string[] {
  const layout = toLinearLayout([rows, columns], { kind, vec, perPhase, maxPhase, order: [1, 0], cga: defaultCga(2) });
  return Array.from({ length: rows }, (_, r) => {
    const places = Array.from({ length: columns }, (__, c) => layout.apply({ offset: r * columns + c, block: 0 }));
    expect(places.every((place) => place["dim0"] === r)).toBe(true);
    return places.map((place) => place["dim1"]).join(" ");
  });
}

describe("columns held by 4x4 and larger memories", () => {
  test.each([
    ["swizzled_shared", [1, 1, 4], [4, 4], ["0 1 2 3", "1 0 3 2", "2 3 0 1", "3 2 1 0"]],
    ["swizzled_shared", [1, 2, 4], [4, 4], ["0 1 2 3", "0 1 2 3", "1 0 3 2", "1 0 3 2"]],
    ["swizzled_shared", [1, 1, 2], [4, 4], ["0 1 2 3", "1 0 3 2", "0 1 2 3", "1 0 3 2"]],
    ["swizzled_shared", [2, 1, 4], [4, 4], ["0 1 2 3", "2 3 0 1", "0 1 2 3", "2 3 0 1"]],
    ["swizzled_shared", [2, 2, 4], [4, 4], ["0 1 2 3", "0 1 2 3", "2 3 0 1", "2 3 0 1"]],
    ["swizzled_shared", [2, 1, 4], [4, 8], ["0 1 2 3 4 5 6 7", "2 3 0 1 6 7 4 5", "4 5 6 7 0 1 2 3", "6 7 4 5 2 3 0 1"]],
    ["amd_rotating_shared", [1, 1, 2], [4, 4], ["0 1 2 3", "1 0 3 2", "1 0 3 2", "0 1 2 3"]],
    ["amd_rotating_shared", [1, 1, 4], [8, 4], ["0 1 2 3", "1 0 3 2", "2 3 0 1", "3 2 1 0", "1 0 3 2", "0 1 2 3", "3 2 1 0", "2 3 0 1"]],
  ] as const)("%s vec, perPhase, maxPhase = %j on %j", (kind, swizzle, shape, rows) => expect(picture(kind, swizzle, shape)).toEqual(rows));
});

describe("for the operands of a dot", () => {
  const cga = defaultCga(2);
  const mfma: AmdMfmaParams = {
    kind: "amd_mfma",
    version: 3,
    warpsPerCTA: [2, 2],
    instrShape: [32, 32, 8],
    isTransposed: true,
    cga,
    tilesPerWarp: [1, 1, 1],
    elementBitWidth: 32,
  };
  const wmma: AmdWmmaParams = {
    kind: "amd_wmma",
    version: 2,
    isTransposed: false,
    warpsPerCTA: [2, 2],
    tilesPerWarp: [1, 1, 1],
    cga,
    instrShape: [16, 16, 16],
  };
  const request = { shape: [64, 64], order: [1, 0], cga, bitwidth: 16, needTrans: false };

  test("swizzled along k", () => {
    const a = { kind: "dot_op", opIdx: 0, parent: mfma, kWidth: 8 } as const;
    expect(swizzledSharedForDot(a, request)).toMatchObject({ vec: 8, perPhase: 1, maxPhase: 8 });
    expect(swizzledSharedForDot({ ...a, parent: wmma }, request)).toMatchObject({ vec: 8, perPhase: 1, maxPhase: 8 });
    expect(swizzledSharedForDot({ ...a, opIdx: 1 }, request)).toMatchObject({ vec: 1, perPhase: 1, maxPhase: 1 });
    expect(swizzledSharedForDot({ ...a, opIdx: 1, parent: { ...mfma, version: 4 } }, request)).toMatchObject({
      vec: 8,
      perPhase: 2,
      maxPhase: 8,
    });
  });

  test("plain under a blocked parent", () => {
    const parent: BlockedParams = {
      kind: "blocked",
      sizePerThread: [1, 1],
      threadsPerWarp: [8, 4],
      warpsPerCTA: [4, 1],
      order: [1, 0],
      cga,
    };
    expect(swizzledSharedForDot(dotOperandFor(0, parent, 16), request)).toMatchObject({ vec: 1, perPhase: 1, maxPhase: 1 });
  });

  test("32 bits along k in a thread under Ampere and Hopper", () => {
    const mma = { kind: "nvidia_mma", versionMajor: 2, versionMinor: 0, warpsPerCTA: [2, 2], instrShape: [16, 8], cga } as const;
    expect([8, 16, 32, 64].map((bitwidth) => dotOperandFor(1, mma, bitwidth).kWidth)).toEqual([4, 2, 1, 1]);
    expect(dotOperandFor(0, mfma, 16).kWidth).toBe(0);
  });
});
