/** The narrator's box takes half of the screen at most: a longer text is read a part at a time. */
import { expect, test } from "vitest";
import { readTour } from "../../learn/tour.js";
import { initialState, reduce } from "../control/reducer.js";
import { dumpSession, screenOf, typed } from "../session.fixture.js";

const LINES = Array.from({ length: 20 }, (_, i) => `line ${i + 1} of the text`);
const read = readTour(
  "t.tour.json",
  JSON.stringify({
    title: "long",
    kernel: "k.ttir",
    steps: [
      { title: "first", text: LINES.join("\n") },
      { title: "second", text: "end" },
    ],
  }),
);

test("a text longer than its box: ) shows the rest before it goes on, ( goes back up, and the keys stay in sight", () => {
  if ("error" in read) throw new Error(read.error);
  const session = dumpSession("fixtures/tui/softmax.log");
  const empty = initialState(session, { columns: 80, rows: 24 }, { keys: {}, ascii: false, command: [] });
  const first = reduce(empty, { type: "tour", tour: read, at: 0 });
  const parts = [first, typed(first, ")"), typed(first, "))")].map(screenOf);
  for (const line of LINES) expect(parts.filter((part) => part.includes(`${line} `)).length, line).toBeGreaterThan(0);
  for (const part of parts) expect(part).toContain(") goes on");
  expect(parts[0]).toContain("lines 1 to 9 of 20, ) shows more");
  expect(parts[2]).toContain("lines 12 to 20 of 20, ( goes up");
  expect(typed(first, ")))").tour).toMatchObject({ at: 1, top: 0 });
  expect(typed(first, "))((").tour).toMatchObject({ at: 0, top: 0 });
});

test("what is to be typed is whole at 80 columns, and the step's title is without the tour's", () => {
  const command =
    "triton-tensor-layout -l '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>'";
  const steps = [
    { title: "a tensor that is smaller than the tile", text: "text", command },
    { title: "second", text: "text", state: "focus=layout", keys: ":convert-triton-to-tritongpu enter 2 /tt.expand_dims enter" },
  ];
  const tour = readTour("t.tour.json", JSON.stringify({ title: "From TTIR to TTGIR: who holds what", kernel: "k.ttir", steps }));
  if ("error" in tour) throw new Error(tour.error);
  const empty = initialState(dumpSession("fixtures/tui/softmax.log"), { columns: 80, rows: 24 }, { keys: {}, ascii: false, command: [] });
  const shown = (at: number) => screenOf(reduce(empty, { type: "tour", tour, at })).replace(/[ │\n]+/g, " ");
  expect(shown(0)).toContain(`$ ${command} = shows its output`);
  expect(shown(0)).toContain("─1/2 a tensor that is smaller than the tile ─");
  expect(shown(1)).toContain("press :convert-triton-to-tritongpu enter 2 /tt.expand_dims enter or = goes there");
});
