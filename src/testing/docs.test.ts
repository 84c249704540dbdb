import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

const PAGES = ["README.md", "CONTRIBUTING.md", "THIRD_PARTY.md", "src/README.md", ...readdirSync("docs").map((file) => `docs/${file}`)];

/** The text without fenced code. */
const proseOf = (path: string) => readFileSync(path, "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");

/** The anchors that a forge makes of the headings of a page. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(path).matchAll(/^#+ (.*)$/gm)) {
    const slug = heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

test("every relative link and anchor of the documentation exists", () => {
  const broken: string[] = [];
  for (const page of PAGES)
    for (const [, target] of proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue;
      const [path, anchor] = target!.split("#") as [string, string?];
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(file)) broken.push(`${page}: ${target} does not exist`);
      else if (anchor !== undefined && !(statSync(file).isFile() && anchorsOf(file).has(anchor)))
        broken.push(`${page}: no heading ${target}`);
    }
  expect(broken).toEqual([]);
});

/** Files whose strings are sentences for users. */
const TEXTS = /^(?:explain\/texts\/.*(?<!\.test|\.fixture)|diagnostics\/catalogue|pass\/remark)\.ts$/;

test("no sentence of the documentation, of an explanation or of a comment opens with 'Of' or 'What', but a question", () => {
  const openings = /(?:^|[.!?;:] )(?:Of|What) [a-z][^.?]*[.;:]/;
  const found = PAGES.flatMap((page) =>
    proseOf(page)
      .split("\n")
      .flatMap((line, i) => (openings.test(line) && !line.endsWith("?") ? [`${page}:${i + 1}: ${line}`] : [])),
  );
  for (const file of readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name)))
    for (const [i, line] of readFileSync(join("src", file), "utf8").split("\n").entries()) {
      const sentences = /^\s*(?:\/\*\*|\*|\/\/) (.*)/.exec(line)?.[1] ?? (TEXTS.test(file) ? /"(.*)"/.exec(line)?.[1] : undefined);
      if (sentences !== undefined && openings.test(sentences)) found.push(`src/${file}:${i + 1}: ${sentences}`);
    }
  expect(found).toEqual([]);
});

test("every page of docs/ is linked from README.md", () => {
  const text = readFileSync("README.md", "utf8");
  expect(PAGES.filter((page) => page !== "README.md" && !text.includes(`](${page})`))).toEqual([]);
});

test("README.md has at most 150 lines", () => {
  expect(readFileSync("README.md", "utf8").split("\n").length - 1).toBeLessThanOrEqual(150);
});

test("CONTRIBUTING.md and src/README.md name only files and scripts that exist", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((file) => `/${file.replaceAll("\\", "/")}`);
  const missing: string[] = [];
  for (const page of ["CONTRIBUTING.md", "src/README.md"])
    for (const [, code] of proseOf(page).matchAll(/`([^`]+)`/g)) {
      const script = /^npm run ([\w:-]+)/.exec(code!)?.[1];
      if (script !== undefined && !(script in scripts)) missing.push(`${page}: npm run ${script}`);
      const path = /^(?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|json|txt|md|js|mlir)$/.exec(code!)?.[0];
      if (path !== undefined && !existsSync(path) && !files.some((file) => file.endsWith(`/${path}`))) missing.push(`${page}: ${path}`);
    }
  expect(missing).toEqual([]);
});

test("THIRD_PARTY.md names every package that is bundled, and docs/dependencies.md every one that is installed by name", async () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fixture)\.|^src\/(?:testing|bench|fuzz)\//.test(file));
  const { metafile } = await build({
    entryPoints: files.filter((file) => /^(?:import|\}) .*from "(?!node:|\.)/m.test(readFileSync(file, "utf8"))),
    // Only packages are followed.
    plugins: [
      {
        name: "packages",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\./ }, ({ importer, path, kind }) =>
            kind === "entry-point" || /node_modules/.test(importer) ? undefined : { path, external: true },
          ),
      },
    ],
    bundle: true,
    platform: "node",
    format: "esm",
    splitting: true,
    jsx: "automatic",
    write: false,
    metafile: true,
    outdir: "dist",
    // As in build.js: React's devtools are left out.
    define: { "process.env.NODE_ENV": '"production"' },
    external: ["react-devtools-core", "./devtools.js"],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const bundled = new Set(
    inputs.flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [...path.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].slice(-1).map((m) => m[1]!) : [],
    ),
  );
  const notices = readFileSync("THIRD_PARTY.md", "utf8");
  expect(bundled).toContain("ink");
  expect([...bundled].filter((name) => !notices.includes(`| ${name} |`)).sort()).toEqual([]);
  const { dependencies = {}, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, Record<string, string>>;
  const reasons = readFileSync("docs/dependencies.md", "utf8");
  expect(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !reasons.includes(`| \`${name}\` |`))).toEqual([]);
});
