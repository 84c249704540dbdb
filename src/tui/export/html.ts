/** A compilation as one page that needs nothing else: the component `<tt-step>` with the data and its worker inside. */
import { packed } from "../../support/pack.js";

/** The scripts of the component, which the build makes. */
export interface PageParts {
  readonly element: string;
  /** As `packed` makes it. */
  readonly worker: string;
}

/** The page for the JSON of a Trace; `screen` is what it opens with, as `tt-step --open` has it. */
export async function pageHtml(
  { element, worker }: PageParts,
  json: string,
  { name, screen, theme }: { readonly name: string; readonly screen: string; readonly theme?: "light" | "dark" },
): Promise<string> {
  // A name that ends in .py would be read as Python.
  const data = `${name}.json`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`tt-step ${name}`)}</title>
<style>html,body{height:100%;margin:0}tt-step{display:block;height:100%}</style>
</head>
<body>
<script type="text/plain" data-worker>${worker}</script>
<tt-step view="all" links autofocus open="${escaped(screen)}"${theme ? ` data-theme="${theme}"` : ""}><script type="text/plain" name="${escaped(data)}" data-packed>${await packed(json)}</script></tt-step>
<script>${element}</script>
</body>
</html>
`;
}
const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
