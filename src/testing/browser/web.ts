/** The playground (`npm run web`): served from this machine, as any host of static files would. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type Bench, type Checks, opened } from "./checks.js";

/** In order: each one continues from the state that the one before left. */
const CHECKS: Checks = {
  "a kernel that is pasted has its passes": async (page) => {
    await paste(page, readFileSync("fixtures/kernels/seed003_matmul.py", "utf8"));
    await page.locator(".pass .name", { hasText: /^coalesce$/ }).waitFor();
    assert.ok((await page.locator(".pass.changed").count()) > 8);
    assert.match(await textOf(page.locator(".status")), /^matmul_kernel on cuda:80/);
  },
  "its lines say what the final code makes of them": async (page) => {
    await page.locator(".hint", { hasText: "mma.sync" }).waitFor();
    assert.match(await textOf(page.locator(".cm-line", { hasText: "tl.dot" }).first()), /\d+ × mma\.sync 16x8x16/);
  },
  "a pass shows its difference, with the counts that the list gives": async (page) => {
    const pass = page.locator(".pass", { hasText: /coalesce/ }).first();
    const added = /\+(\d+)/.exec(await textOf(pass))?.[1];
    await pass.click();
    await page.locator("table.diff").waitFor();
    assert.match(await textOf(page.locator(".head h2")), /→ coalesce/);
    assert.match(await textOf(page.locator(".head .note")), new RegExp(`${added} added`));
    assert.ok((await page.locator("table.diff .code.added").count()) > 0);
  },
  "keys step through passes and changes": async (page) => {
    await page.locator(".diffbox").focus();
    const before = await selected(page);
    await page.keyboard.press(">");
    await page.waitForFunction((was) => document.querySelector("[role=option][aria-selected=true]")?.id !== was, before);
    await page.keyboard.press("<");
    await page.waitForFunction((was) => document.querySelector("[role=option][aria-selected=true]")?.id === was, before);
    await page.keyboard.press("n");
    await page.locator("table.diff tr[aria-current=true]").waitFor();
  },
  "a line of IR lights up its line of Python": async (page) => {
    await page.locator("table.diff tr", { hasText: "tt.load" }).first().click();
    assert.match(await textOf(page.locator(".cm-line.lit")), /tl\.load/);
  },
  "its layout is a map of threads; a thread lights up with what it holds": async (page) => {
    await page.locator("#tab-layout").click();
    const cell = page.locator("svg.map g").first();
    await cell.hover();
    const thread = await cell.getAttribute("data-thread");
    assert.equal(await page.locator("svg.map g.lit").count(), await page.locator(`svg.map g[data-thread="${thread}"]`).count());
    assert.match(await textOf(page.locator(".said")), /thread \d+ \(warp/);
  },
  "the final code: from the line of Python to its mma.sync": async (page) => {
    await page.locator("#tab-code").click();
    await page.locator(".facts tr", { hasText: "mma.sync" }).first().hover();
    assert.match(await textOf(page.locator(".cm-line.lit")), /tl\.dot/);
    const lit = page.locator(".listing .codeline.lit");
    assert.match((await lit.allTextContents()).join("\n"), /mma\.sync\.aligned/);
    assert.match((await lit.allTextContents()).join("\n"), /tt\.dot/);
  },
  "a link brings the same screen back": async (page) => {
    await page.locator("#tab-passes").click();
    const pass = page.locator(".pass", { hasText: /accelerate-matmul/ }).first();
    await pass.click();
    await page.waitForFunction(() => /accelerate-matmul/.test(document.querySelector(".head h2")?.textContent ?? ""));
    await page.locator("button", { hasText: /^share$/ }).click();
    const link = await page.locator("dialog input").first().inputValue();
    assert.match(await page.locator("dialog input").nth(1).inputValue(), /^tt-step seed003_matmul\.py .*--open .*pass=\d+/);
    await page.keyboard.press("Escape");
    await page.goto("about:blank");
    await page.goto(link);
    await page.locator("table.diff").waitFor();
    assert.match(await textOf(page.locator(".head h2")), /→ accelerate-matmul/);
  },
  "a mistake has a message and a place, and the last result stays": async (page) => {
    await paste(page, "import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(p):\n    tl.store(p, nothing)\n");
    await page.locator(".problems", { hasText: "nothing" }).waitFor();
    assert.match(await textOf(page.locator(".problems")), /kernel|seed003_matmul\.py:6:\d+: error/);
    assert.ok((await page.locator(".cm-lintRange-error").count()) > 0);
    assert.ok((await page.locator(".pass").count()) > 8);
  },
};

const textOf = async (found: Locator): Promise<string> => (await found.first().textContent()) ?? "";
const selected = (page: Page) => page.locator("[role=option][aria-selected=true]").getAttribute("id");

/** Puts a text in the place of the editor's, as the clipboard does. */
async function paste(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.locator(".cm-content").evaluate((editor, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
/** Waits until nothing is compiled. */
const settled = (page: Page) =>
  page.waitForFunction(() => document.querySelector(".pass") !== null && !document.querySelector(".status.busy"), undefined, {
    timeout: 60_000,
  });

/** The server of `npm run web -- --serve`, and its address. */
async function served(folder: string): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  const server = spawn(process.execPath, ["scripts/web.js", "--out", join(folder, "web"), "--serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const url = await new Promise<string>((found, failed) => {
    server.stdout!.on("data", (part) => {
      said += part;
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(said)?.[0];
      if (address) found(address);
    });
    server.on("exit", () => failed(new Error(`npm run web ended: ${said}`)));
  });
  return { server, url };
}

export async function checkPlayground({ browser, folder, check }: Bench): Promise<void> {
  const { server, url } = await served(folder);
  try {
    const { page, troubles } = await opened(browser, (asked) => /^(?:blob|data):/.test(asked) || asked.startsWith(url));
    await page.goto(url);
    await settled(page);
    for (const [name, body] of Object.entries(CHECKS)) await check(name, () => body(page));
    await check("no error on the page, nothing asked of another server, nothing that the policy refuses", async () =>
      assert.deepEqual(troubles, []),
    );
    await page.close();
  } finally {
    server.kill();
  }
}
