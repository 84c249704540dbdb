/** Shared by the tests in a browser. */
import type { Browser, Page } from "playwright-core";

/** Checks by name. */
export type Checks = Readonly<Record<string, (page: Page) => Promise<void>>>;

export interface Bench {
  readonly browser: Browser;
  /** An empty folder, removed at the end. */
  readonly folder: string;
  readonly check: (name: string, body: () => Promise<void>) => Promise<void>;
}

/** A page, and a list of errors on it and of requests that it should not make. */
export async function opened(
  browser: Browser,
  mayAsk: (url: string) => boolean,
): Promise<{ readonly page: Page; readonly troubles: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
  page.setDefaultTimeout(120_000);
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("request", (request) => !mayAsk(request.url()) && troubles.push(`asks for ${request.url()}`));
  return { page, troubles };
}
