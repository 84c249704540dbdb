/** The page of `tt-step --export`, driven with keyboard and mouse. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type Bench, type Checks, opened } from "./checks.js";

/** In order: each one continues from the state that the one before left. */
const CHECKS: Checks = {
  "the title names the input, a pass that changed something is selected": async (page) => {
    assert.match(await page.title(), /matmul\.ttir/);
    assert.match(await current(page), /^\*/);
  },
  "> and < go to the next and the last changed pass": async (page) => {
    const first = await current(page);
    await page.keyboard.press(">");
    const second = await current(page);
    assert.notEqual(second, first);
    assert.match(second, /^\*/);
    await page.keyboard.press("<");
    assert.equal(await current(page), first);
  },
  "j, k and the arrows step through all passes": async (page) => {
    const before = await selected(page);
    await page.keyboard.press("j");
    assert.equal(await selected(page), before + 1);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    assert.equal(await selected(page), before);
  },
  "c hides the passes that changed nothing, and shows them again": async (page) => {
    const unchanged = page.locator("nav button.same");
    const all = await unchanged.count();
    assert.ok(all > 5);
    await page.keyboard.press("c");
    assert.equal(await unchanged.count(), 0);
    await page.keyboard.press("c");
    assert.equal(await unchanged.count(), all);
  },
  "a click on a pass shows its diff, with the counts that the list gives": async (page) => {
    const pass = page.locator("nav button", { hasText: "coalesce" }).first();
    const added = /\+(\d+)/.exec(await textOf(pass))?.[1];
    await pass.click();
    const head = await textOf(page.locator("#head"));
    assert.match(head, /→ coalesce/);
    assert.match(head, new RegExp(`${added} added`));
    assert.equal((await page.locator("#diff td.added").count()) > 0, true);
  },
  "| goes from side by side to unified, to the IR alone and back": async (page) => {
    for (const mode of ["unified", "IR", "side by side"]) {
      await page.keyboard.press("|");
      assert.match(await textOf(page.locator("#head > small")), new RegExp(`${mode}$`));
    }
    assert.equal(await page.locator("#diff table.two").count(), 1);
  },
  "n goes to a change, to the next one, and N back": async (page) => {
    await page.keyboard.press("n");
    const first = await cursorRow(page);
    await page.keyboard.press("n");
    assert.notEqual(await cursorRow(page), first);
    await page.keyboard.press("N");
    assert.equal(await cursorRow(page), first);
  },
  "a click on a fold opens it": async (page) => {
    const rows = page.locator("#diff tr");
    const [folds, before] = [await page.locator("#diff tr.fold").count(), await rows.count()];
    await page.locator("#diff tr.fold").first().click();
    assert.equal(await page.locator("#diff tr.fold").count(), folds - 1);
    assert.ok((await rows.count()) > before);
  },
  "a click on a line draws its value's layout; a click on an element lights its thread": async (page) => {
    await page.locator("#diff tr", { hasText: "tt.load" }).first().click();
    assert.match(await textOf(page.locator("#layout")), /#ttg\.blocked/);
    const cells = page.locator("#layout table.map td", { hasText: /^T1:/ });
    await cells.first().click();
    assert.equal(await page.locator("#layout td.lit").count(), await cells.count());
  },
  "a click on an instruction goes to its op in the IR": async (page) => {
    const fact = page.locator("#codegen tr", { hasText: /ld\.global|cp\.async/ }).first();
    await fact.click();
    assert.match(await textOf(page.locator("#head > small")), /IR$/);
    assert.match(await textOf(page.locator("#diff tr.cursor")), /load|async_copy/);
    assert.ok((await page.locator("#codegen tr.cursor").count()) > 0);
  },
  "/ finds a text": async (page) => {
    page.once("dialog", (dialog) => dialog.accept("tt.func"));
    await page.keyboard.press("/");
    assert.match(await textOf(page.locator("#diff mark").first()), /tt\.func/);
  },
};

const textOf = async (found: Locator): Promise<string> => (await found.textContent()) ?? "";
const current = (page: Page) => textOf(page.locator("nav button[aria-current=true]"));
/** Its index in the list, which leaves out nested passes. */
async function selected(page: Page): Promise<number> {
  const states = await page.locator("nav button").all();
  const current = await Promise.all(states.map((button) => button.getAttribute("aria-current")));
  return current.indexOf("true");
}
const cursorRow = (page: Page) => page.locator("#diff tr.cursor").first().getAttribute("data-row");

export async function checkExportedPage({ browser, folder, check }: Bench): Promise<void> {
  const file = join(folder, "out.html");
  const made = spawnSync(process.execPath, ["bin/tt-step.js", "fixtures/kernels/matmul.ttir", "--export", file], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`tt-step --export: ${made.stderr}`);
  const { page, troubles } = await opened(browser, (url) => url.startsWith("file:"));
  await page.goto(`file://${file}`);
  for (const [name, body] of Object.entries(CHECKS)) await check(name, () => body(page));
  await check("in a notebook's frame it is the same page, and stays there", async () => {
    const page = readFileSync(file, "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const notebook = join(folder, "notebook.html");
    writeFileSync(notebook, `<!doctype html><title>notebook</title><iframe srcdoc="${page}" width="1200" height="760"></iframe>`);
    const shown = await opened(browser, (url) => url.startsWith("file:") || url.startsWith("about:"));
    await shown.page.goto(`file://${notebook}`);
    const frame = shown.page.frameLocator("iframe");
    await frame.locator("nav button", { hasText: "coalesce" }).first().click();
    assert.match(await textOf(frame.locator("#head")), /coalesce/);
    assert.equal(shown.page.frames().length, 2);
    assert.deepEqual(shown.troubles, []);
    await shown.page.close();
  });
  await check("no error on the page, nothing asked of a server", async () => assert.deepEqual(troubles, []));
  await page.close();
}
