/** The Chromium of the machine, without a window. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where distributions put it; `$CHROMIUM` comes first. */
export const CHROMIUMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Undefined where there is none. */
export async function launched(): Promise<Browser | undefined> {
  const executablePath = [process.env["CHROMIUM"] ?? "", ...CHROMIUMS].find((path) => path !== "" && existsSync(path));
  // Chromium's sandbox needs rights that a container's root does not have; the pages are our own.
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
