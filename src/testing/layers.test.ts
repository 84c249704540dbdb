import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** Folders by layer: a folder may import from the layers above its own (smaller numbers) and from itself. */
const LAYERS: readonly (readonly string[])[] = [
  ["support"],
  ["diagnostics"],
  ["layout", "cute", "ptx", "gpu"],
  ["ir"],
  ["syntax", "rewrite"],
  ["dialects"],
  ["pass"],
  ["analysis"],
  ["passes", "target", "simulate", "frontend", "reduce"],
  ["trace"],
  ["backend"],
  ["modernize"],
  ["compile"],
  ["explain"],
  ["limits"],
  ["diff"],
  ["learn"],
  ["library", "node"],
  ["mcp"],
  ["tui"],
  ["web"],
  ["cli", "index.ts"],
];
/** The only imports between dialects: each may import those listed. */
const DIALECTS: Readonly<Record<string, readonly string[]>> = {
  builtin: [],
  arith: ["builtin", "ub"],
  math: ["builtin", "arith", "ub"],
  ub: ["builtin"],
  func: ["builtin"],
  scf: ["builtin", "arith", "ub", "cf"],
  cf: ["builtin", "arith", "ub"],
  gpu: ["builtin", "arith"],
  tt: ["builtin", "arith", "math", "ub", "scf", "cf", "gpu"],
  ttg: ["builtin", "arith", "math", "ub", "scf", "cf", "gpu", "tt"],
  ttng: ["builtin", "arith", "math", "ub", "scf", "cf", "gpu", "tt", "ttg"],
  tti: ["tt", "ttg"],
  proton: [],
  proton_gpu: ["tt", "ttg"],
  gluon: ["tt"],
  nvws: ["builtin", "arith", "scf", "tt", "ttg", "ttng"],
  amdg: ["builtin", "llvm", "tt", "ttg"],
  llvm: ["builtin"],
  nvvm: ["builtin", "llvm"],
  rocdl: ["builtin", "llvm"],
  nvgpu: ["builtin", "llvm"],
  tensor: ["builtin"],
  triton_gpu: ["builtin", "arith", "tensor", "tt", "ttg"],
  triton_nvidia_gpu: ["builtin", "arith", "tt", "ttg", "triton_gpu"],
};
/** Test and bench code may import anything; nothing imports it. */
const FREE = ["testing", "bench", "fuzz"];
/** One thing each, though long: the reason is in the file's first comment. */
const LONG_FILES_EXPLAIN_THEMSELVES = 400;

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((f) => /\.tsx?$/.test(f))
  .map((f) => f.replaceAll("\\", "/"))
  .sort();
const isTest = (file: string) => /\.(test|fixture)\.tsx?$/.test(file);

/** The files that a file imports; `later`: those of `import()` too. */
function importsOf(file: string, later = true): string[] {
  const text = readFileSync(`src/${file}`, "utf8");
  return [...text.matchAll(/^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm)]
    .filter((m) => later || m[1] !== undefined)
    .map((m) => normalize(join(dirname(file), m[1] ?? m[2]!)).replaceAll("\\", "/"))
    .filter((path) => !path.startsWith(".."));
}

test("folders import only the layers above their own", () => {
  const layerOf = new Map(LAYERS.flatMap((folders, layer) => folders.map((f) => [f, layer] as const)));
  const offending: string[] = [];
  for (const file of files) {
    const from = file.split("/")[0]!;
    if (FREE.includes(from) || isTest(file)) continue;
    for (const path of importsOf(file)) {
      const to = path.split("/")[0]!.replace(/^index\.js$/, "index.ts");
      if (to === from) continue;
      const mine = layerOf.get(from);
      const theirs = layerOf.get(to);
      if (mine === undefined) offending.push(`${file}: folder ${from} has no layer`);
      else if (theirs === undefined || theirs >= mine) offending.push(`${file} imports ${path}`);
    }
  }
  expect(offending).toEqual([]);
});

/** The files that a file needs when it is loaded: types are gone by then, and `import()` is later. */
const loadedBy = (file: string): readonly string[] =>
  [...readFileSync(`src/${file}`, "utf8").matchAll(/^(?:import|export)\s+(?!type\b)([^;]*?)(?:\s+from\s+)?"(\.[^"]+)";/gm)]
    .filter(([, names]) => !/^\{\s*(?:type\s+[\w$]+(?:\s+as\s+[\w$]+)?\s*,?\s*)+\}$/.test(names!))
    .map(([, , path]) => normalize(join(dirname(file), path!)).replaceAll("\\", "/"))
    .flatMap((path) => bySpecifier.get(path) ?? []);
const bySpecifier = new Map(files.map((file) => [file.replace(/\.tsx?$/, ".js"), file]));

test("no file needs itself, by way of others, when it is loaded", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file)) return;
    done.add(file);
    for (const next of loadedBy(file)) visit(next, [...path, file]);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

/**
 * Folders with files whose types describe each other, and the most of them: an op is in a block, which is in an op; a rule is given the machine
 * that runs it. None of them needs the other when it is loaded. No other folder may get such a circle.
 */
const CIRCLES_OF_TYPES: Readonly<Record<string, number>> = {
  "frontend/language/": 5,
  "ir/": 19,
  "simulate/ptx/": 12,
  "simulate/tensor/": 8,
  "syntax/": 4,
  "target/ptx/": 4,
};

/** Groups of files each of which imports all others of its group, types included, by way of others. */
function circlesOfTypes(): string[][] {
  const sources = files.filter((file) => !isTest(file) && !FREE.includes(file.split("/")[0]!));
  const next = new Map(sources.map((file) => [file, importsOf(file, false).flatMap((path) => bySpecifier.get(path) ?? [])]));
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string, edges: ReadonlyMap<string, readonly string[]>, out: string[]): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const other of edges.get(file) ?? []) visit(other, edges, out);
    out.push(file);
  };
  for (const file of sources) visit(file, next, order);
  const back = new Map<string, string[]>(sources.map((file) => [file, []]));
  for (const [file, others] of next) for (const other of others) back.get(other)?.push(file);
  seen.clear();
  return order
    .toReversed()
    .map((file) => {
      const group: string[] = [];
      visit(file, back, group);
      return group.sort();
    })
    .filter((group) => group.length > 1);
}

test("no more files than these import each other for their types", () => {
  const isKnown = (group: readonly string[]): boolean =>
    Object.entries(CIRCLES_OF_TYPES).some(([folder, most]) => group.length <= most && group.every((file) => file.startsWith(folder)));
  expect(circlesOfTypes().filter((group) => !isKnown(group))).toEqual([]);
});

/** Files of `tui` that touch the terminal, files or other programs: the rest runs in a browser too. */
const SHELL = /^tui\/(?:run|run-plain|keyboard|terminal|editor|compilations|opening|second-thread|app|load-app)\.tsx?$/;

test("nothing below the commands and the terminal UI's shell needs node", () => {
  const offending: string[] = [];
  for (const file of files) {
    const [from] = file.split("/");
    if (from === "cli" || from === "node" || FREE.includes(from!) || isTest(file) || SHELL.test(file)) continue;
    const code = readFileSync(`src/${file}`, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    for (const [needs] of code.matchAll(/"node:\w+"|\b(?:Buffer|process)\.\w+|\bimport\.meta\b/g)) offending.push(`${file}: ${needs}`);
  }
  expect(offending).toEqual([]);
});

test("dialects import only those they build on", () => {
  const offending: string[] = [];
  for (const file of files) {
    const [root, from] = file.split("/");
    if (root !== "dialects" || isTest(file) || file.split("/").length === 2) continue;
    for (const path of importsOf(file)) {
      const [toRoot, to] = path.split("/");
      if (toRoot !== "dialects" || to === from) continue;
      if (!DIALECTS[from!]?.includes(to!)) offending.push(`${file} imports ${path}`);
    }
  }
  expect(offending).toEqual([]);
});

test("passes that every GPU shares import nothing of a vendor: neither its passes nor its ops", () => {
  const ofVendor = /^(?:passes\/(?:nvidia|amd)|dialects\/(?:nvvm|nvgpu|nvws|amdg|rocdl))\//;
  const offending = files.flatMap((file) =>
    /^passes\/[^/]+\//.test(file) && !/^passes\/(?:nvidia|amd)\//.test(file) && !isTest(file)
      ? importsOf(file).flatMap((path) => (ofVendor.test(path) ? [`${file} imports ${path}`] : []))
      : [],
  );
  expect(offending).toEqual([]);
});

test("op files import no patterns", () => {
  const offending = files.filter(
    (f) => /^dialects\/[^/]+\/ops\//.test(f) && importsOf(f).some((p) => p.includes("canonicalize") || p.startsWith("rewrite/")),
  );
  expect(offending).toEqual([]);
});

test("every relative import names a file that exists", () => {
  const missing = files.flatMap((file) =>
    importsOf(file)
      .filter(
        (p) => !p.endsWith(".json") && !existsSync(`src/${p.replace(/\.js$/, ".ts")}`) && !existsSync(`src/${p.replace(/\.js$/, ".tsx")}`),
      )
      .map((p) => `${file}: ${p}`),
  );
  expect(missing).toEqual([]);
});

test("long files say in their first comment what keeps them together", () => {
  const unexplained = files.filter((file) => {
    if (isTest(file)) return false;
    const text = readFileSync(`src/${file}`, "utf8");
    return text.split("\n").length > LONG_FILES_EXPLAIN_THEMSELVES && !text.startsWith("/**");
  });
  expect(unexplained).toEqual([]);
});
