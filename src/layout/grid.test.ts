import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockedMatrix, matrixShape } from "./arbitraries.fixture.js";
import { readAttribute } from "./attribute-reader.fixture.js";
import { elementsOf, firstOwners, layoutFunction, ownerAt, ownersOf } from "./grid.js";
import { LinearLayout } from "./linear-layout.js";
import { printTensorView } from "./print-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";

test("who owns an element, and what a thread owns", () => {
  const layout = toLinearLayout(
    [4, 16],
    readAttribute("#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>"),
  );
  // A row of 16 elements takes 4 of the 16 lanes along it: four groups of lanes hold the same.
  expect(ownersOf(layout, [3, 5])).toEqual(
    [1, 5, 9, 13].map((lane) => ({ block: 0, warp: 1, lane: lane + 16, thread: lane + 48, register: 1 })),
  );
  expect(elementsOf(layout, 0, 49)).toEqual([
    [3, 4],
    [3, 5],
    [3, 6],
    [3, 7],
  ]);
});

test("an element that nobody holds", () => {
  const layout = LinearLayout.fromBases([["register", [[2]]]], [["dim0", 4]], false);
  expect(ownersOf(layout, [1])).toEqual([]);
  expect([...firstOwners(layout)]).toEqual([0, -1, 1, -1]);
});

test("every element has an owner, owners hold what they are said to, and the print names them all", () =>
  fc.assert(
    fc.property(matrixShape, blockedMatrix(2), (shape, params) => {
      const layout = toLinearLayout(shape, params);
      const first = firstOwners(layout);
      const lines: string[] = [];
      printTensorView(layout, (line) => lines.push(line));
      const cells = lines.map((line) => line.replaceAll(/[[\]]/g, "").split(", "));
      for (let i = 0; i < shape[0]; i += 3) {
        for (let j = 0; j < shape[1]; j += 5) {
          const owners = ownersOf(layout, [i, j]);
          expect(owners.length).toBeGreaterThan(0);
          expect(owners[0]).toEqual(ownerAt(layout, first[i * shape[1] + j]!));
          for (const { block, warp, lane, register } of owners)
            expect(Object.values(layout.apply({ block, warp, lane, register }))).toEqual([i, j]);
          expect(cells[i]![j]!.replaceAll(" ", "")).toBe(owners.map(({ thread, register }) => `T${thread}:${register}`).join("|"));
        }
      }
    }),
    { seed: 17, numRuns: 30 },
  ));

describe("layout function", () => {
  test("a 2x8 tensor over a 4x4 layout: it wraps along the columns and repeats along the rows", () => {
    const thread = ([i = 0, j = 0]: readonly number[]): number => 4 * i + j;
    const owners = [0, 1].map((i) => Array.from({ length: 8 }, (_, j) => layoutFunction([2, 8], [4, 4], [i, j]).map(thread)));
    expect(owners).toEqual([
      [
        [0, 8],
        [1, 9],
        [2, 10],
        [3, 11],
        [0, 8],
        [1, 9],
        [2, 10],
        [3, 11],
      ],
      [
        [4, 12],
        [5, 13],
        [6, 14],
        [7, 15],
        [4, 12],
        [5, 13],
        [6, 14],
        [7, 15],
      ],
    ]);
    expect(layoutFunction([2, 8], [4, 4], [1, 3])).toEqual([
      [1, 3],
      [3, 3],
    ]);
  });

  test("it agrees with linear layouts of one element per thread", () => {
    const params = readAttribute("#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>");
    const layout = toLinearLayout([2, 32], params);
    for (let i = 0; i < 2; i++) {
      for (let j = 0; j < 32; j++) {
        const threads = [...new Set(ownersOf(layout, [i, j]).map((owner) => owner.thread))].sort((a, b) => a - b);
        expect(layoutFunction([2, 32], [4, 8], [i, j]).map(([r = 0, c = 0]) => 8 * r + c)).toEqual(threads);
      }
    }
  });
});
