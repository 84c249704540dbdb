/** The page of `tt-step --export`, driven with keyboard and mouse. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { PAPERS } from "../../tui/draw/style.js";
import { type Bench, type Checks, opened } from "./checks.js";

/** In order: each one continues from the state that the one before left. */
const CHECKS: Checks = {
  "the title names the input, the worst finding is first, and the keyboard is there at once": async (page) => {
    assert.match(await page.title(), /matmul\.ttir/);
    await page.locator(".rows .row", { hasText: "ttg.convert_layout" }).first().waitFor();
    await page.locator("#pass-list:focus").waitFor();
  },
  "> and < go to the next and the last changed pass": async (page) => {
    const first = await after(page, "<");
    const second = await after(page, ">");
    assert.match((await current(page).getAttribute("class")) ?? "", /changed/);
    assert.notEqual(second, first);
    assert.equal(await after(page, "<"), first);
  },
  "j, k and the arrows step through all passes in the list": async (page) => {
    const before = await nameOf(page);
    assert.notEqual(await after(page, "j"), before);
    await after(page, "ArrowUp");
    await after(page, "ArrowDown");
    assert.equal(await after(page, "k"), before);
  },
  "c hides the passes that changed nothing, and shows them again": async (page) => {
    const unchanged = page.locator(".pass.same");
    const all = await unchanged.count();
    assert.ok(all > 5);
    await page.keyboard.press("c");
    await unchanged.first().waitFor({ state: "detached" });
    await page.keyboard.press("c");
    await unchanged.first().waitFor();
    assert.equal(await unchanged.count(), all);
  },
  "a click on a pass shows its diff, with the counts that the list gives": async (page) => {
    const pass = page.locator(".pass", { hasText: "coalesce" }).first();
    const added = /\+(\d+)/.exec(await textOf(pass))?.[1];
    await pass.click();
    await page.locator(".head h2", { hasText: "→ coalesce" }).waitFor();
    assert.match(await textOf(page.locator(".head .note").first()), new RegExp(`${added} added`));
    assert.ok((await page.locator("table.diff .code.added").count()) > 0);
  },
  "| goes from side by side to unified, to the IR alone and back": async (page) => {
    for (const mode of ["unified", "IR", "side by side"]) {
      await page.keyboard.press("|");
      await page.locator(".head button[aria-pressed=true]", { hasText: mode }).waitFor();
    }
    assert.equal(await page.locator("table.diff.two").count(), 1);
  },
  "n goes to a change, to the next one, and N back": async (page) => {
    const first = await cursorAfter(page, "n");
    assert.notEqual(await cursorAfter(page, "n"), first);
    assert.equal(await cursorAfter(page, "N"), first);
  },
  "a click on a fold opens it": async (page) => {
    const rows = page.locator("table.diff tr");
    const [folds, before] = [await page.locator("table.diff tr.fold").count(), await rows.count()];
    await page.locator("table.diff tr.fold button").first().click();
    await rows.nth(before).waitFor();
    assert.equal(await page.locator("table.diff tr.fold").count(), folds - 1);
  },
  "a line's value has its layout; a click on an element lights its thread": async (page) => {
    await page.locator("table.diff tr", { hasText: "tt.load" }).first().click();
    await page.locator("#tab-layout").click();
    await page.locator(".below", { hasText: "#ttg.blocked" }).waitFor();
    const cells = page.locator('svg.map g[data-thread="1"]');
    await cells.first().click();
    await page.locator("svg.map g.lit").first().waitFor();
    assert.equal(await page.locator("svg.map g.lit").count(), await cells.count());
  },
  "a click on an instruction goes to its op in the IR": async (page) => {
    await page.locator("#tab-code").click();
    await page
      .locator(".facts .link", { hasText: /ld\.global|cp\.async/ })
      .first()
      .click();
    await page.locator("table.diff tr[aria-current=true]", { hasText: /load|async_copy/ }).waitFor();
  },
  "/ finds a text": async (page) => {
    await page.keyboard.press("/");
    await page.locator("dialog input").fill("tt.func");
    await page.keyboard.press("Enter");
    await page
      .locator(`table.diff .p${PAPERS.indexOf("match")}`, { hasText: "tt.func" })
      .first()
      .waitFor();
  },
  "play goes from one changed pass to the next": async (page) => {
    const before = await nameOf(page);
    await page.locator("button", { hasText: "play" }).click();
    await page.waitForFunction(
      (was) => document.querySelector("tt-step")!.shadowRoot!.querySelector("[role=option][aria-selected=true]")?.textContent !== was,
      before,
    );
    await page.locator("button", { hasText: "play" }).click();
  },
};

const textOf = async (found: Locator): Promise<string> => (await found.textContent()) ?? "";
const current = (page: Page) => page.locator("[role=option][aria-selected=true]");
const nameOf = (page: Page) => textOf(current(page));
/** The selected pass after a key that selects another. */
async function after(page: Page, key: string): Promise<string> {
  const was = await current(page).getAttribute("id");
  await page.keyboard.press(key);
  await page.locator(`[role=option][aria-selected=true]:not(#${was})`).waitFor();
  return nameOf(page);
}
/** The row of the cursor after a key that moves it. */
async function cursorAfter(page: Page, key: string): Promise<string | null> {
  const cursor = page.locator("table.diff tr[aria-current=true]");
  const was = await cursor.getAttribute("data-row");
  await page.keyboard.press(key);
  await page.locator(`table.diff tr[aria-current=true]:not([data-row="${was}"])`).waitFor();
  return cursor.getAttribute("data-row");
}

export async function checkExportedPage({ browser, folder, check }: Bench): Promise<void> {
  const file = join(folder, "out.html");
  const made = spawnSync(process.execPath, ["bin/tt-step.js", "fixtures/kernels/matmul.ttir", "--export", file], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`tt-step --export: ${made.stderr}`);
  const isOwn = (url: string): boolean => /^(?:file|about|blob):/.test(url);
  const { page, troubles } = await opened(browser, isOwn);
  await page.goto(`file://${file}`);
  for (const [name, body] of Object.entries(CHECKS)) await check(name, () => body(page));
  await check("page.html#11 opens at that pass, and the address follows the selected pass", async () => {
    const linked = await opened(browser, isOwn);
    await linked.page.goto(`file://${file}#11`);
    await linked.page.locator(".pass[aria-selected=true][title^='11 ']").waitFor();
    await linked.page.locator(".pass", { hasText: "accelerate-matmul" }).first().click();
    await linked.page.waitForURL(/#\d+$/);
    await linked.page.evaluate(() => (location.hash = "#coalesce"));
    await linked.page.locator(".head h2", { hasText: "→ coalesce" }).waitFor();
    assert.deepEqual(linked.troubles, []);
    await linked.page.close();
  });
  await check("in a notebook's frame it is the same page, and stays there", async () => {
    const page = readFileSync(file, "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const notebook = join(folder, "notebook.html");
    writeFileSync(notebook, `<!doctype html><title>notebook</title><iframe srcdoc="${page}" width="1200" height="760"></iframe>`);
    const shown = await opened(browser, isOwn);
    await shown.page.goto(`file://${notebook}`);
    const frame = shown.page.frameLocator("iframe");
    await frame.locator(".pass", { hasText: "coalesce" }).first().click();
    await frame.locator(".head h2", { hasText: "→ coalesce" }).waitFor();
    assert.equal(shown.page.frames().length, 2);
    assert.deepEqual(shown.troubles, []);
    await shown.page.close();
  });
  await check("no error on the page, nothing asked of a server", async () => assert.deepEqual(troubles, []));
  await page.close();
}
