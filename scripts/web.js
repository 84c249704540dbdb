// `npm run web`: builds the page in dist/web, static files for any host. `--serve [--port N]` shows it on this machine alone.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { browserBundle, component, styleSheet, worker } from "./web-bundles.js";

const { out, serve, port } = parseArgs({
  options: { out: { type: "string", default: "dist/web" }, serve: { type: "boolean" }, port: { type: "string", default: "8080" } },
}).values;

/** Kernels of the menu: those of fixtures/kernels. */
const examples = readdirSync("fixtures/kernels")
  .filter((name) => /^[\w]+\.(?:py|ttir)$/.test(name))
  .sort((a, b) => Number(b.endsWith(".py")) - Number(a.endsWith(".py")) || a.localeCompare(b))
  .map((name) => ({ name, text: readFileSync(`fixtures/kernels/${name}`, "utf8") }));

/** Tours through the compiler, with their kernels. */
const tours = readdirSync("fixtures/tours")
  .filter((name) => name.endsWith(".tour.json"))
  .map((name) => {
    const { title, about, kernel, steps, options = [] } = JSON.parse(readFileSync(`fixtures/tours/${name}`, "utf8"));
    const { target } = parseArgs({ args: options, options: { target: { type: "string" } } }).values;
    return {
      title,
      about,
      steps,
      kernel: { name: kernel.split("/").at(-1), text: readFileSync(join("fixtures/tours", kernel), "utf8"), target },
    };
  });

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync("src/web/static", out, { recursive: true });
const write = (name, text) => writeFileSync(join(out, name), text);
const first = examples.find(({ name }) => name === "seed003_matmul.py");
const menu = { EXAMPLES: JSON.stringify(examples), TOURS: JSON.stringify(tours) };
write("start.js", await browserBundle("src/web/page/start.ts", { FIRST: JSON.stringify(first) }, "esm"));
write("main.js", await browserBundle("src/web/page/main.ts", menu, "esm", ["./start.js"]));
write("worker.js", await worker());
write("style.css", await styleSheet());
write("tt-step.js", await component());

// The service worker keeps exactly these files; another build has another version.
const files = readdirSync(out).sort();
const version = createHash("sha256");
for (const file of files) version.update(file).update(readFileSync(join(out, file)));
const kept = { FILES: JSON.stringify(files), VERSION: JSON.stringify(version.digest("hex").slice(0, 16)) };
write("service-worker.js", await browserBundle("src/web/service-worker.ts", kept));

const sizes = readdirSync(out).map((file) => ({
  file,
  size: statSync(join(out, file)).size,
  packed: gzipSync(readFileSync(join(out, file))).length,
}));
for (const { file, size, packed } of sizes)
  console.log(`${file.padEnd(24)} ${String(size).padStart(9)} ${String(packed).padStart(8)} compressed`);
console.log(`${"all".padEnd(24)} ${"".padStart(9)} ${String(sizes.reduce((sum, { packed }) => sum + packed, 0)).padStart(8)} compressed`);

if (serve) {
  const TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
  };
  const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(readFileSync(`${out}/index.html`, "utf8"))[1];
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html");
    const file = path.slice(1);
    if (!readdirSync(out).includes(file)) return response.writeHead(404).end("not found\n");
    const headers = { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "content-security-policy": policy };
    response.writeHead(200, { ...headers, "x-content-type-options": "nosniff" }).end(readFileSync(join(out, file)));
  });
  server.on("error", (error) => {
    console.error(`npm run web: ${error.message}`);
    process.exit(2);
  });
  server.listen(Number(port), "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object") console.log(`http://127.0.0.1:${address?.port}/`);
  });
}
