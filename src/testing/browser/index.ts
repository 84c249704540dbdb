/**
 * `npm run test:browser`: the exported page and the playground in headless Chromium. No tests of vitest's, because a machine may
 * lack the browser: it then says so in one line and exits 0. `page` or `web` runs one of the two alone, `figures` measures instead, and
 * `--screenshots` draws the pictures in `snapshots/web`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUMS, launched } from "./chromium.js";
import { checkExportedPage } from "./page.js";
import { checkPlayground } from "./web.js";

async function main(): Promise<number> {
  const browser = await launched();
  if (!browser) {
    console.log(`browser: not run, no Chromium in ${CHROMIUMS.join(", ")} or $CHROMIUM (Debian: apt-get install chromium)`);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), "tt-step-page-"));
  let passed = 0;
  let failed = 0;
  const check = async (name: string, body: () => Promise<void>): Promise<void> => {
    try {
      await body();
      console.log(`ok   ${name}`);
      passed++;
    } catch (error) {
      failed++;
      console.log(`FAIL ${name}\n     ${(error as Error).message.replaceAll("\n", "\n     ")}`);
    }
  };
  try {
    const [only] = process.argv.includes("--screenshots") ? ["web"] : process.argv.slice(2);
    if (only !== "web" && only !== "figures") await checkExportedPage({ browser, folder, check });
    if (only !== "page") await checkPlayground({ browser, folder, check });
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
  console.log(`browser: ${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
