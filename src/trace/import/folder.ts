/**
 * A Trace from a folder: Triton's cache folder of a kernel (`name.ttir .ttgir .llir .ptx .json`, `.amdgcn` for AMD), or the folder that
 * `--mlir-print-ir-tree-dir` fills (`builtin_module_no-symbol-name/0_inline.mlir`, ...).
 */
import { machineCodeOfAmd } from "../amd-assembly.js";
import type { Stage } from "../stage.js";
import type { Trace } from "../trace.js";
import { type ImportedText, type ImportOptions, importTexts } from "./import-dump.js";

/** A file of the folder: its path relative to it, and how to read it. */
export interface FolderFile {
  readonly path: string;
  readonly read: () => string;
}

const CACHE_STAGES: readonly [suffix: string, stage: Stage][] = [
  ["source", "ttir"],
  ["ttir", "ttir"],
  ["ttgir", "ttgir"],
  ["llir", "ptx"],
  ["ptx", "ptx"],
  ["amdgcn", "ptx"],
];

/** Whether a file is of an IR tree: `0_inline.mlir`. */
export const isTreeFile = (path: string): boolean => /(?:^|\/)\d+(?:_\d+)*_[\w.-]+\.mlir$/.test(path);

/** The Trace of a folder's files, or why there is none. */
export function importFolder(name: string, files: readonly FolderFile[], options: ImportOptions = {}): Trace | { readonly error: string } {
  const tree = files.filter((f) => isTreeFile(f.path));
  if (tree.length > 0) return importTexts(name, "IR tree", [...tree].sort(byCounters).map(treeText), [], undefined, options);
  const cached: ImportedText[] = [];
  const warnings: string[] = [];
  for (const [suffix, stage] of CACHE_STAGES) {
    const found = files.filter((f) => f.path.endsWith(`.${suffix}`));
    if (found.length > 1) warnings.push(`several .${suffix} files; ${found[0]!.path} is shown`);
    // No text at all would be a result that a log does not show; this one is known, and holds nothing.
    if (found[0]) cached.push({ pass: suffix, flag: suffix, stage, text: found[0].read() || "\n" });
  }
  if (cached.length === 0)
    return { error: "the folder holds neither a kernel's cache (.ttir, .ttgir, .llir, .ptx, .amdgcn) nor an IR tree (0_pass.mlir)" };
  const metadata = files.find((f) => f.path.endsWith(".json") && !/__grp__|^capture\.json$|(?:^|[./])args\.json$/.test(f.path));
  const trace = importTexts(name, "cache folder", cached, warnings, metadata && readMetadata(metadata.read()), options);
  const assembly = cached.find(({ flag }) => flag === "amdgcn");
  return assembly ? { ...trace, artifacts: { ...trace.artifacts, machine: machineCodeOfAmd(assembly.text) } } : trace;
}

/** `.../1_0_canonicalize.mlir` after `.../1_inline.mlir`: by the numbers in front. */
function byCounters(a: FolderFile, b: FolderFile): number {
  const [x, y] = [counters(a.path), counters(b.path)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i]! - y[i]!;
  return x.length - y.length;
}
function counters(path: string): number[] {
  return (/(\d+(?:_\d+)*)_[\w.-]+\.mlir$/.exec(path)?.[1] ?? "").split("_").map(Number);
}
function treeText(file: FolderFile): ImportedText {
  const flag = /\d_([A-Za-z][\w.-]*)\.mlir$/.exec(file.path)?.[1] ?? file.path;
  const text = file.read();
  const banner = /^\/\/ -----\/\/ IR Dump After (\S+)/.exec(text)?.[1];
  return { pass: banner ?? flag, flag, stage: undefined, text: text.replace(/^\/\/ -----\/\/.*\n/, "") };
}

/** Target and options from the kernel's metadata, where they can be read. */
function readMetadata(
  text: string,
): { readonly target: string | undefined; readonly options: Readonly<Record<string, unknown>> } | undefined {
  try {
    const data = JSON.parse(text) as { readonly target?: { readonly backend?: string; readonly arch?: number | string } } & Record<
      string,
      unknown
    >;
    const { backend, arch } = data.target ?? {};
    return { target: (backend === "cuda" || backend === "hip") && arch !== undefined ? `${backend}:${arch}` : undefined, options: data };
  } catch {
    // A damaged metadata file costs only what it would have said.
    return undefined;
  }
}
