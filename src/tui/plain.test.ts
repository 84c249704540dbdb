import { expect, test } from "vitest";
import { initialState, reduceInputs } from "./control/reducer.js";
import { elsewhere, keysOfLine, PLAIN_SIZE, section, sectionText } from "./plain.js";
import { kernelSession, screenOf, typed } from "./session.fixture.js";

const session = kernelSession("fixtures/kernels/vecadd_any_n.ttir");
const start = initialState(session, PLAIN_SIZE, { keys: {}, ascii: false, command: [] });
const after = (...lines: readonly string[]) => lines.reduce((state, line) => reduceInputs(state, keysOfLine(line)), start);

test("each section has its title, its rows and the cursor", () => {
  const found = section(after("j"));
  expect(found.title).toBe("5 findings: vecadd");
  expect(found.rows[found.cursor]).toContain("narrow access");
  const diff = section(after(":coalesce", "2", "/tt.load"));
  expect(diff.title).toContain("2 diff: convert-triton-to-tritongpu → coalesce, unified of side by side, unified, IR");
  expect(diff.rows[diff.cursor]).toContain("tt.load");
  expect(section(after("?")).title).toBe("keys");
  expect(section(after("o")).rows).toContain("num_warps: 4");
});

test("a line's result is said, where it is not in the pane that has the keyboard", () => {
  const chosen = after(":coalesce");
  expect(elsewhere(":coalesce", start.view, chosen)).toBe("2");
  expect(elsewhere("j", start.view, after("1", "j"))).toBeUndefined();
  expect(elsewhere("w", chosen.view, after(":coalesce", "2", "w"))).toBe("4");
});

test("a section is said in parts", () => {
  const long = { title: "t", rows: Array.from({ length: 30 }, (_, i) => `row ${i}`), cursor: 25 };
  expect(sectionText(long, 0).split("\n")).toHaveLength(26);
  expect(sectionText(long, 0)).toContain("(6 more rows; enter goes on)");
  expect(sectionText(long, 24).split("\n").slice(1, 3)).toEqual(["  row 24", "> row 25"]);
});

test("a wrapped line goes on in the next row, and the cursor stays in sight", () => {
  const small = { ...start, size: { columns: 80, rows: 24 } };
  const screen = screenOf(typed(small, ":coalesce\r2W"));
  const at = screen.split("\n").findIndex((row) => row.includes("15 + "));
  expect(screen.split("\n")[at + 1]).not.toMatch(/\d+ [+-]/);
  expect(screen).not.toContain("…ttg.convert_layout");
  expect(screenOf(typed(small, ":coalesce\r2WG"))).toContain("}");
  expect(screenOf(typed(small, ":coalesce\r2Wt"))).toContain("= tensor<8xf16, #a>");
});
