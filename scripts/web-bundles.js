// Bundles for browsers: the page, the worker that compiles, the component. For `build.js` and `scripts/web.js`.
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

/**
 * The text of a script, bundled for a browser.
 * @param {string} entry
 * @param {Readonly<Record<string, string>>} define
 * @param {import("esbuild").Format} format
 * @param {string[]} external modules that stay files of their own
 */
export async function browserBundle(entry, define = {}, format = "iife", external = []) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "browser",
    format,
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "error" },
    define,
    external,
  });
  return outputFiles[0].text;
}
export const worker = () => browserBundle("src/web/worker/worker.ts");

/** The page's style sheet: the terminal UI's colours, and the rest. */
export async function styleSheet() {
  const code = await browserBundle("src/web/theme-css.ts", {}, "esm");
  const { themeCss } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return `${themeCss()}\n${readFileSync("src/web/static/style.css", "utf8")}`;
}
/** The script of `<tt-step>`. In its shadow root the host has what the page's root has. */
export async function component() {
  const style = (await styleSheet()).replaceAll(/:root\[data-theme=(\w+)\]/g, ":host([data-theme=$1])").replaceAll(":root", ":host");
  return browserBundle("src/web/page/element.ts", { STYLE: JSON.stringify(style) });
}
/** The files of which `tt-step --export` makes a page: src/tui/export/html.ts. */
export async function pageParts() {
  const packed = deflateRawSync(await worker(), { level: 9 }).toString("base64");
  return { "page-element.js": await component(), "page-worker.txt": packed };
}
