/** The playground (`npm run web`): served from this machine, as any host of static files would. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { type Bench, type Checks, opened } from "./checks.js";
import { printFigures } from "./figures.js";

/** The banks of a buffer of the matmul, which a local_load reads. */
async function openBanks(page: Page): Promise<void> {
  await page.getByLabel("example").selectOption("matmul.ttir");
  await page.locator(".status", { hasText: /^matmul on/ }).waitFor();
  await page.locator("#tab-passes").click();
  await page.locator(".pass.changed", { hasText: "pipeline" }).first().click();
  await page.locator("table.diff tr", { hasText: "ttg.local_load" }).first().click();
  await page.locator("#tab-layout").click();
  await page.locator(".below .choice button", { hasText: "shared memory" }).click();
}

/** In order: each one continues from the state that the one before left. */
const CHECKS: Checks = {
  "a kernel that is pasted has its passes": async (page) => {
    await page.getByLabel("example").selectOption("vecadd.ttir");
    await page.locator(".status", { hasText: /^vecadd on cuda:80/ }).waitFor();
    await paste(page, readFileSync("fixtures/kernels/seed003_matmul.py", "utf8"));
    await page.locator(".status", { hasText: /^matmul_kernel on cuda:80/ }).waitFor();
    await page.locator(".pass .name", { hasText: /^coalesce$/ }).waitFor();
    assert.ok((await page.locator(".pass.changed").count()) > 8);
  },
  "a text that is pasted in the place of all is shown from its beginning": async (page) => {
    await paste(page, readFileSync("fixtures/kernels/seed003_matmul.py", "utf8"));
    // The editor scrolls when it is drawn next.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.ok((await page.locator(".cm-scroller").evaluate((scroller) => scroller.scrollTop)) < 10);
    await page.locator(".status", { hasText: /^matmul_kernel on cuda:80/ }).waitFor();
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
  "elements and registers are linked both ways, a choice stays in all views": async (page) => {
    await page.locator(".below .choice button", { hasText: "registers" }).click();
    const held = page.locator('.registers g[data-thread="5"]').first();
    await held.hover();
    const element = await held.getAttribute("data-element");
    await page.locator(`.elements g.lit.at[data-element="${element}"]`).waitFor();
    await page.locator(`.elements g[data-element="${element}"]`).hover();
    await page.locator(`.registers g.lit.at[data-element="${element}"][data-thread="5"]`).waitFor();
    await page.locator(`.elements g[data-element="${element}"]`).click();
    await page.locator(".below .choice button", { hasText: "elements" }).click();
    await page.locator(".registers").waitFor({ state: "detached" });
    await page.locator(`.elements g.lit.at[data-element="${element}"]`).waitFor();
    assert.equal(await page.getByLabel("thread", { exact: true }).inputValue(), "5");
  },
  "the final code: from the line of Python to its mma.sync": async (page) => {
    await page.locator("#tab-code").click();
    await page.locator(".facts tr", { hasText: "mma.sync" }).first().hover();
    assert.match(await textOf(page.locator(".cm-line.lit")), /tl\.dot/);
    const lit = page.locator(".listing .codeline.lit");
    assert.match((await lit.allTextContents()).join("\n"), /mma\.sync\.aligned/);
    assert.match((await lit.allTextContents()).join("\n"), /tt\.dot/);
  },
  "the instructions beside a line of Python lead to them": async (page) => {
    await page.locator("#tab-overview").click();
    await page.locator(".hint", { hasText: "mma.sync" }).first().click();
    await page.locator(".listing .codeline.lit", { hasText: "mma.sync" }).first().waitFor();
  },
  "a link brings the same screen back": async (page) => {
    await page.locator("#tab-passes").click();
    const pass = page.locator(".pass", { hasText: /accelerate-matmul/ }).first();
    await pass.click();
    await page.waitForFunction(() => /accelerate-matmul/.test(document.querySelector(".head h2")?.textContent ?? ""));
    await page.locator("button", { hasText: /^share$/ }).click();
    const link = await page.locator("dialog input").first().inputValue();
    assert.match(await page.locator("dialog input").nth(1).inputValue(), /^tt-step kernel\.py .*--open .*pass=\d+/);
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

/** A kernel whose loop makes millions of ops: the compiler is at it for a minute or more. */
const HOSTILE = `import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.load(p + tl.arange(0, 1024))
    for i in tl.static_range(20000):
        x = x * n + tl.load(p + i * tl.arange(0, 1024))
    tl.store(p + tl.arange(0, 1024), x)
`;
const MORE: Checks = {
  "a change of a setting compiles again; B is compared with it": async (page) => {
    await page.locator("button", { hasText: "A/B" }).click();
    await page.getByLabel("warps").selectOption("8");
    await page.locator("#tab-compare:not([hidden])").waitFor();
    await page.locator(".pass", { hasText: "≠" }).first().waitFor();
    await page.locator("#tab-compare").click();
    await page
      .locator(".below .row", { hasText: /4 warps/ })
      .first()
      .waitFor();
    await page.locator("button", { hasText: "A/B" }).click();
    await page.locator("#tab-compare").waitFor({ state: "hidden" });
  },
  "shared memory is a drawing of banks, with conflicts in a sentence": async (page) => {
    await openBanks(page);
    await page.locator(".banks g").first().waitFor();
    assert.match(await textOf(page.locator(".drawings > p")), /rounds .*bank conflicts/);
    await page.locator(".banks g").first().hover();
    assert.match(await textOf(page.locator(".said")), /at byte \d+, bank \d+/);
    await page.locator(".below .choice button", { hasText: "elements" }).click();
  },
  "limits of a launch that is typed": async (page) => {
    await page.getByLabel("example").selectOption("matmul.ttir");
    await page.locator(".status", { hasText: /^matmul on/ }).waitFor();
    await limitsOf(page);
    assert.match(await textOf(page.locator(".below .row", { hasText: "bound by" })), /tensor cores|L2|DRAM|shared memory/);
  },
  "B may be another kernel": async (page) => {
    await page.getByLabel("example").selectOption("vecadd.ttir");
    await page.locator(".status", { hasText: /^vecadd on/ }).waitFor();
    await page.locator("button", { hasText: "A/B" }).click();
    await paste(page, readFileSync("fixtures/kernels/seed003_matmul.py", "utf8"));
    await page.locator(".status", { hasText: /^matmul_kernel/ }).waitFor();
    await page.locator("#tab-compare:not([hidden])").waitFor();
    await page.locator("#tab-compare").click();
    await page
      .locator(".below .row", { hasText: /vecadd/ })
      .first()
      .waitFor();
    await page.locator("button", { hasText: "A/B" }).click();
    await page.locator("#tab-compare").waitFor({ state: "hidden" });
  },
  "pointing at a line of the editor says why it is as it is": async (page) => {
    await page.locator(".cm-content").press("Control+Home");
    await page
      .locator(".cm-line", { hasText: "a = tl.load" })
      .first()
      .hover({ position: { x: 72, y: 8 } });
    await page.locator(".why b").first().waitFor();
    await page.mouse.move(0, 0);
  },
  "a tour says what to look at, and shows it": async (page) => {
    await page.getByLabel("example").selectOption("Wide accesses and AxisInfo");
    const tour = page.locator(".tour");
    await tour.locator("h2", { hasText: "what holds the kernel back" }).waitFor();
    await page.locator(".status", { hasText: /^add/ }).waitFor();
    while ((await textOf(tour.locator("h2"))) !== "four elements in a row") await tour.locator("button", { hasText: "next" }).click();
    await page.locator(".elements g").first().waitFor();
    await tour.getByLabel("end the tour").click();
    await page.getByLabel("example").selectOption("seed003_matmul.py");
    await page.locator(".status", { hasText: /^matmul_kernel/ }).waitFor();
  },
  "the form of arguments compiles for others, and says what is wrong with one": async (page) => {
    await page.locator("button", { hasText: "arguments" }).click();
    const field = page.locator("dialog label", { hasText: "BLOCK_SIZE_K" }).locator("input");
    await field.fill("q q");
    assert.match(await textOf(page.locator("dialog label", { hasText: "BLOCK_SIZE_K" }).locator(".note")), /\w/);
    await field.fill("32");
    await page.locator("dialog button.main").click();
    await page.locator(".cm-line .hint", { hasText: "16 × mma.sync" }).waitFor();
  },
  "validate executes the kernel after each pass, run shows what it stores": async (page) => {
    await page.locator("#tab-run").click();
    await page.locator(".answer h3", { hasText: "stored to c_ptr" }).waitFor();
    await page.locator("#tab-validate").click();
    await page.locator(".answer pre", { hasText: /pass/ }).waitFor();
    assert.equal(await page.locator(".answer.failed").count(), 0);
  },
  "playgrounds of layouts and of CuTe draw what is typed": async (page) => {
    await page.locator("header button", { hasText: "CuTe" }).click();
    await page.locator("#text-cute").fill("(4,2):(2,1)");
    await page.waitForFunction(() => document.querySelectorAll("#mode-cute svg g").length === 8);
    await page.locator("header button", { hasText: "layouts" }).click();
    await page.locator("#mode-layout svg.map g").first().waitFor();
    await page.locator("header button", { hasText: "compiler" }).click();
  },
  "a kernel without end is stopped, and the next one compiles": async (page) => {
    await paste(page, HOSTILE);
    await page.locator("button", { hasText: /^stop$/ }).click();
    await page.locator(".status", { hasText: "stopped" }).waitFor();
    await page.getByLabel("example").selectOption("vecadd.ttir");
    await page.locator(".status", { hasText: /^vecadd on cuda:80/ }).waitFor();
  },
  "text of a kernel is text": async (page) => {
    await paste(page, 'module { "<img src=x onerror=alert(1)>"() : () -> () }');
    await page.locator(".problems", { hasText: "<img src=x" }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    await page.getByLabel("example").selectOption("seed003_matmul.py");
    await page.locator(".status", { hasText: /^matmul_kernel/ }).waitFor();
  },
};

/** Rules of WCAG that axe finds broken in what is shown, the serious ones. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, impact, nodes }) =>
      /serious|critical/.test(impact) ? [`${id}: ${nodes[0]?.html.slice(0, 200)} (${nodes.length}) ${nodes[0]?.failureSummary}`] : [],
    );
  });
}
const ACCESSIBLE: Checks = {
  "no barriers in the tabs, light": async (page) => {
    // A small kernel: axe looks at each element.
    await page.getByLabel("example").selectOption("vecadd.ttir");
    await page.locator(".status", { hasText: /^vecadd/ }).waitFor();
    for (const tab of ["passes", "layout", "code"]) {
      await page.locator(`#tab-${tab}`).click();
      await drawn(page, tab);
      assert.deepEqual(await barriers(page), [], tab);
    }
  },
  "nor dark, nor in a dialog": async (page) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("#tab-passes").click();
    await page.locator("table.diff").waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press("?");
    await page.locator("dialog").waitFor();
    assert.deepEqual(await barriers(page), []);
    await page.keyboard.press("Escape");
    await page.emulateMedia({ colorScheme: "light" });
  },
  "a phone's width has everything, one below the other": async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator("#tab-code").click();
    await page.locator(".codeline").first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    assert.deepEqual(await barriers(page), []);
    await page.setViewportSize({ width: 1500, height: 900 });
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
/** Opens the limits of a launch of the matmul that the page begins with. */
async function limitsOf(page: Page): Promise<void> {
  await page.locator("#tab-limits").click();
  const launch = page.getByLabel(/^launch: /);
  await launch.fill("M=1024 N=1024 K=1024 sam=1024 sbk=1024 scm=1024 grid=256");
  await launch.press("Enter");
  await page
    .locator(".below .row", { hasText: /bound by/ })
    .first()
    .waitFor();
}

/** Waits until the panel shows a tab. */
const drawn = (page: Page, tab: string) =>
  page.waitForFunction((name) => (document.querySelector("#panel") as HTMLElement).dataset["drawn"] === name, tab);

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

/** The pictures of the docs. */
async function drawPictures(page: Page, url: string): Promise<void> {
  const picture = async (name: string): Promise<void> => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `snapshots/web/${name}.png` });
  };
  await page.setViewportSize({ width: 1500, height: 860 });
  await page.goto("about:blank");
  await page.goto(url);
  await settled(page);
  await page
    .locator(".pass", { hasText: /accelerate-matmul/ })
    .first()
    .click();
  await page.locator("table.diff").waitFor();
  await picture("passes");
  await page.locator("table.diff tr", { hasText: "tt.load" }).first().click();
  await page.locator("#tab-layout").click();
  await page.locator("svg.map g").first().click();
  await picture("layouts");
  await openBanks(page);
  await page.locator(".banks g").nth(40).click();
  await picture("shared-memory");
  await limitsOf(page);
  await picture("limits");
  await page.locator("#tab-flow").click();
  await drawn(page, "flow");
  await picture("control-flow");
  await page.locator("button", { hasText: "A/B" }).click();
  await page.getByLabel("warps").selectOption("8");
  await page.locator("#tab-compare:not([hidden])").waitFor();
  await page.locator("#tab-compare").click();
  await page.locator(".below .row", { hasText: "→ here" }).first().waitFor();
  await picture("compare");
  await page.locator("button", { hasText: "A/B" }).click();
  await page.locator("header button", { hasText: "CuTe" }).click();
  await page.locator("#mode-cute svg g").first().waitFor();
  await picture("cute");
  await page.locator("header button", { hasText: "compiler" }).click();
  await page.getByLabel("example").selectOption("seed003_matmul.py");
  await page.locator(".status", { hasText: /^matmul_kernel/ }).waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("#tab-code").click();
  await page.locator(".facts tr", { hasText: "mma.sync" }).first().hover();
  for (const line of await page.locator(".listing:not(.wide) .codeline.lit").all())
    if (/mma\.sync|tt\.dot/.test((await line.textContent()) ?? "")) await line.scrollIntoViewIfNeeded();
  await page.screenshot({ path: "snapshots/web/final-code.png" });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#tab-passes").click();
  await page.locator("table.diff").waitFor();
  await page.screenshot({ path: "snapshots/web/phone.png", fullPage: true });
}

export async function checkPlayground({ browser, folder, check }: Bench): Promise<void> {
  const { server, url } = await served(folder);
  try {
    if (process.argv.includes("figures")) return await printFigures(browser, url);
    if (process.argv.includes("--screenshots")) return await drawPictures(await browser.newPage(), url);
    const { page, troubles } = await opened(browser, (asked) => /^(?:blob|data):/.test(asked) || asked.startsWith(url));
    await page.goto(url);
    await settled(page);
    for (const [name, body] of Object.entries(CHECKS)) await check(name, () => body(page));
    await page.goto("about:blank");
    await page.goto(url);
    await settled(page);
    for (const [name, body] of [...Object.entries(MORE), ...Object.entries(ACCESSIBLE)]) await check(name, () => body(page));
    await check("a compiler that is not heard of is stopped by the page, with a message", async () => {
      const watched = await browser.newPage();
      await watched.clock.install();
      await watched.goto(url);
      await settled(watched);
      await paste(watched, HOSTILE);
      await watched.locator(".status.busy").waitFor();
      await watched.clock.fastForward(31_000);
      await watched.locator(".status.failed", { hasText: "nothing was heard of it for 30 s" }).waitFor();
      await watched.getByLabel("example").selectOption("vecadd.ttir");
      await watched.locator(".status", { hasText: /^vecadd on/ }).waitFor();
      await watched.close();
    });
    await check("a link that is damaged opens the page with a message", async () => {
      const damaged = await browser.newPage();
      await damaged.goto(`${url}#AAAA`);
      await damaged.locator(".status", { hasText: "the link is damaged" }).waitFor();
      await damaged.close();
    });
    await check("<tt-step> in an article: a difference, a layout, the final code", async () => {
      const kernel = '<script type="text/plain" name="k.ttir">' + readFileSync("fixtures/kernels/vecadd.ttir", "utf8") + "</script>";
      const elements = ["diff", "layout", "code"].map((view) => `<tt-step pass="coalesce" op="tt.load" view="${view}">${kernel}</tt-step>`);
      writeFileSync(
        join(folder, "web", "article.html"),
        `<!doctype html><title>article</title><script src="tt-step.js"></script>${elements.join("")}`,
      );
      const article = await browser.newPage();
      await article.goto(`${url}article.html`);
      await article.locator("tt-step h2", { hasText: "→ coalesce" }).first().waitFor();
      await article.locator("tt-step svg.map g").first().waitFor();
      await article.locator("tt-step .codeline", { hasText: "ld.global" }).first().waitFor();
      await article.close();
    });
    await check("after the first visit the page works without a network", async () => {
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.context().setOffline(true);
      server.kill();
      await page.reload();
      await settled(page);
      assert.match(await textOf(page.locator(".status")), /on cuda:80/);
    });
    await check("no error on the page, nothing asked of another server, nothing that the policy refuses", async () =>
      assert.deepEqual(troubles, []),
    );
    await page.close();
  } finally {
    server.kill();
  }
}
