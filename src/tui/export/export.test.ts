import { expect, test } from "vitest";
import { initialState, reduce } from "../control/reducer.js";
import { THEMES } from "../draw/theme.js";
import { kernelSession } from "../session.fixture.js";
import { exportText } from "./export.js";

const state = initialState(
  kernelSession("fixtures/kernels/vecadd.ttir"),
  { columns: 100, rows: 30 },
  { keys: {}, ascii: false, command: [] },
);
const made = async (path: string): Promise<string> => {
  const result = await exportText(path, state, THEMES.light, () => import("../app.js"));
  if ("error" in result) throw new Error(result.error);
  return result.text;
};

test("a page that needs nothing else", async () => {
  const html = await made("x.html");
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/(?:src|href)=|https?:/);
  const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(html)![1]!) as {
    readonly steps: readonly { readonly name: string }[];
    readonly lines: readonly string[];
    readonly texts: Readonly<Record<string, readonly string[]>>;
  };
  expect(data.steps.map((s) => s.name)).toContain("coalesce");
  expect(data.texts["tritongpu-coalesce"]?.[0]).toContain("coalesce memory accesses");
  expect(data.texts["tt.load"]?.length).toBeGreaterThan(3);
  expect(html).toContain('<button id="play">');
  expect(new Set(data.lines).size).toBe(data.lines.length);
});

test("a page opens at the step that was shown, and a drawing has no message", async () => {
  const shown = reduce(
    { ...state, view: { ...state.view, passes: { ...state.view.passes, selected: 12 } } },
    { type: "message", text: "writing x.svg ...", kind: "info" },
  );
  const page = await exportText("x.html", shown, THEMES.light, () => import("../app.js"));
  expect(page).toHaveProperty("text", expect.stringContaining('"open":12}'));
  const drawing = await exportText("x.svg", shown, THEMES.light, () => import("../app.js"));
  expect(drawing).not.toHaveProperty("text", expect.stringContaining("writing"));
});

test("a drawing, data, text; and what has no known ending", async () => {
  expect(await made("x.svg")).toMatch(/^<svg [^>]*viewBox/);
  expect(JSON.parse(await made("x.json"))).toMatchObject({ format: 2 });
  expect(await made("x.txt")).toContain("passes");
  expect(await exportText("x.pdf", state, THEMES.light, () => import("../app.js"))).toHaveProperty("error");
});
