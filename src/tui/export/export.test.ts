import { expect, test } from "vitest";
import { readSource } from "../../library/sources.js";
import { unpacked } from "../../support/pack.js";
import { initialState, reduce } from "../control/reducer.js";
import { THEMES } from "../draw/theme.js";
import { kernelSession } from "../session.fixture.js";
import { exportText } from "./export.js";
import { pageHtml } from "./html.js";

const state = initialState(
  kernelSession("fixtures/kernels/vecadd.ttir"),
  { columns: 100, rows: 30 },
  { keys: {}, ascii: false, command: [] },
);
const PARTS = { app: () => import("../app.js"), page: () => ({ element: "/* element */", worker: "d29ya2Vy" }) };
const made = async (path: string): Promise<string> => {
  const result = await exportText(path, state, THEMES.light, PARTS);
  if ("error" in result) throw new Error(result.error);
  return result.text;
};
const dataOf = async (page: string) => unpacked(/data-packed>([^<]*)</.exec(page)![1]!);

test("a page that needs nothing else: the component, its worker, and the compilation", async () => {
  const html = await made("x.html");
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/(?:src|href)=|https?:/);
  expect(html).toContain("<script>/* element */</script>");
  expect(html).toContain("data-worker>d29ya2Vy<");
  expect(await dataOf(html)).toBe(await made("x.json"));
});

test("a page opens at the step that was shown, and a drawing has no message", async () => {
  const shown = reduce(
    { ...state, view: { ...state.view, passes: { ...state.view.passes, selected: 12 } } },
    { type: "message", text: "writing x.svg ...", kind: "info" },
  );
  const page = await exportText("x.html", shown, THEMES.light, PARTS);
  expect(page).toHaveProperty("text", expect.stringContaining(`open="pass=${state.session.trace.steps[12]!.label},`));
  const drawing = await exportText("x.svg", shown, THEMES.light, PARTS);
  expect(drawing).not.toHaveProperty("text", expect.stringContaining("writing"));
});

test("a drawing of a pane that has the screen for itself has all of its rows", async () => {
  const { view } = state;
  const whole = { ...state, view: { ...view, focus: "codegen", zoomed: true, codegen: { ...view.codegen, tab: "ptx", top: 20 } } } as const;
  const drawing = await exportText("x.txt", whole, THEMES.light, PARTS);
  const text = "text" in drawing ? drawing.text : "";
  expect(text).toContain(".visible .entry");
  expect(text).toMatch(/\bret;/);
});

test("the data of a Python kernel's page is read as a Trace", async () => {
  const page = await pageHtml(PARTS.page(), await made("x.json"), { name: "kernel.py", screen: "" });
  const [, name] = /name="([^"]*)" data-packed/.exec(page)!;
  expect(readSource({ name: name!, text: (await dataOf(page))! })).toMatchObject({ kind: "imported" });
});

test("names in a page are text", async () => {
  const name = '"><script>alert(1)</script>';
  const page = await pageHtml(PARTS.page(), "{}", { name, screen: name });
  expect(page).not.toContain("<script>alert");
  expect(await dataOf(page)).toBe("{}");
});

test("a drawing, data, text; and what has no known ending", async () => {
  expect(await made("x.svg")).toMatch(/^<svg [^>]*viewBox/);
  expect(JSON.parse(await made("x.json"))).toMatchObject({ format: 2 });
  expect(await made("x.txt")).toContain("passes");
  expect(await exportText("x.pdf", state, THEMES.light, PARTS)).toHaveProperty("error");
});
