/** `npm run test:browser -- figures`: figures of the playground in a browser, as this machine gives them now. They are printed, not tested. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

export async function printFigures(browser: Browser, url: string): Promise<void> {
  const loads: Awaited<ReturnType<typeof load>>[] = [];
  for (let i = 0; i < 3; i++) loads.push(await load(browser, url));
  const ms = (what: keyof (typeof loads)[number]) => `${Math.round(median(loads.map((figures) => figures[what])))} ms`;
  console.log(`first paint ${ms("paint")}, passes of a matmul ${ms("passes")}, all of its overview ${ms("all")} (budget 1500 ms)`);
  console.log(`the page's own tasks: longest ${ms("longest")}, together over 50 ms each ${ms("blocked")}`);
  for (const [name, budget] of [
    ["vecadd.ttir", 150],
    ["matmul.ttir", 500],
  ] as const) {
    const page = await browser.newPage();
    await page.goto(url);
    console.log(`${name}: from a keystroke to the new result ${Math.round(await keystroke(page, name))} ms (budget ${budget} ms)`);
    await page.close();
  }
}

/** Milliseconds since the page was asked for, in a context with nothing kept. */
async function load(browser: Browser, url: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
      buffered: true,
    });
    const seen: Record<string, number> = {};
    new MutationObserver(() => {
      if (document.querySelector(".pass.changed")) seen["passes"] ??= performance.now();
      if (document.querySelector(".below .row")) seen["all"] ??= performance.now();
    }).observe(document, { subtree: true, childList: true });
    Object.assign(globalThis, { figures: { tasks, seen } });
  });
  await page.goto(url);
  await page.locator(".below .row").first().waitFor();
  const figures = await page.evaluate(() => {
    const { tasks, seen } = (globalThis as unknown as { figures: { tasks: number[]; seen: { passes: number; all: number } } }).figures;
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
    return { ...seen, paint, longest: Math.max(0, ...tasks), blocked: tasks.reduce((sum, task) => sum + task, 0) };
  });
  await context.close();
  return figures;
}

/** Milliseconds from a change of the text until its list of passes is drawn. */
async function keystroke(page: Page, name: string): Promise<number> {
  await page.getByLabel("example").selectOption(name);
  await page.locator(".status", { hasText: /^(?:vecadd|matmul) on/ }).waitFor();
  await page.locator("#tab-passes").click();
  await page.locator("table.diff").waitFor();
  const text = readFileSync(`fixtures/kernels/${name}`, "utf8");
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const changed = text.replace(/= arith\.constant (\d+) : i32/, (all, n: string) => all.replace(n, String(Number(n) * (2 - (i % 2)))));
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    times.push(
      await page.evaluate(async (pasted) => {
        const editor = document.querySelector(".editor")!.shadowRoot!.querySelector<HTMLElement>(".cm-content")!;
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", pasted);
        const began = performance.now();
        const drawn = new Promise<number>((done) =>
          new MutationObserver((_, observer) => {
            observer.disconnect();
            done(performance.now() - began);
          }).observe(document.querySelector(".passes")!, { childList: true }),
        );
        editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        return drawn;
      }, changed),
    );
    await page.locator(".status:not(.busy)").waitFor();
  }
  return median(times.slice(2));
}
