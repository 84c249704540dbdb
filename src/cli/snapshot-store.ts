/** Snapshots on disk. A folder is written beside the old one and takes its place as a whole. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SnapshotFiles } from "./snapshot-content.js";

/** The files of a folder; undefined where there is none. What an interrupted update left is put right first. */
export function readSnapshot(folder: string): SnapshotFiles | undefined {
  recover(folder);
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
/** Passes by number, then the rest. */
function order(name: string): number {
  return Number(/^(\d+)-/.exec(name)?.[1] ?? 1e6);
}

/** Writes a folder so that at every moment the old snapshot or the new one is there whole. */
export function writeSnapshot(folder: string, files: SnapshotFiles): void {
  recover(folder);
  const fresh = `${folder}${FRESH}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(fresh, name), text, "latin1");
  const old = `${folder}${OLD}`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}
const FRESH = ".new";
const OLD = ".old";

function recover(folder: string): void {
  const old = `${folder}${OLD}`;
  if (existsSync(old)) {
    if (existsSync(folder)) rmSync(old, { recursive: true, force: true });
    else renameSync(old, folder);
  }
}

/** Every `kernel/target` below a folder. */
export function storedSnapshots(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((kernel) => kernel.isDirectory())
    .flatMap((kernel) =>
      readdirSync(join(dir, kernel.name), { withFileTypes: true })
        .filter(
          (target) =>
            target.isDirectory() &&
            !target.name.endsWith(FRESH) &&
            !target.name.endsWith(OLD) &&
            existsSync(join(dir, kernel.name, target.name, "summary.json")),
        )
        .map((target) => `${kernel.name}/${target.name}`),
    )
    .sort();
}

/** What a kernel's snapshot is called: by its file. */
export function kernelName(path: string): string {
  const base = basename(path).replace(/\.\w+$/, "");
  // Triton's cache folders and dumps of a folder are named by their folder.
  return /^(?:kernel|source|index)$/.test(base) ? `${basename(dirname(path))}` : base;
}
