/** Snapshots on disk. A folder is written beside the old one and takes its place as a whole. */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { beside, isBeside, makeFolder, readText, writeNew } from "../node/files.js";
import type { SnapshotFiles } from "./snapshot-content.js";

/** The files of a folder; undefined where there is none. An entry that is not a file has an empty text. */
export function readSnapshot(folder: string): SnapshotFiles | undefined {
  const whole = wholeFolder(folder);
  if (whole === undefined) return undefined;
  const names = readdirSync(whole).sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
  return new Map(names.map((name) => [name, statSync(join(whole, name)).isFile() ? readText(join(whole, name)) : ""]));
}
/** Passes by number, then the rest. */
function order(name: string): number {
  return Number(/^(\d+)-/.exec(name)?.[1] ?? 1e6);
}

const OLD = ".old";
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Where a snapshot is: an update that was interrupted between its two renames has left it beside its place. */
function wholeFolder(folder: string): string | undefined {
  return [folder, `${folder}${OLD}`].find(isFolder);
}

/** Writes a folder so that at every moment, and after every error, the old snapshot or the new one is there whole. */
export function writeSnapshot(place: string, files: SnapshotFiles): void {
  const folder = isFolder(place) ? realpathSync(place) : place;
  const old = `${folder}${OLD}`;
  const fresh = beside(folder);
  const above = dirname(folder);
  makeFolder(above);
  // A process that was killed has left these.
  for (const left of readdirSync(above)) if (isBeside(folder, left)) rmSync(join(above, left), { recursive: true, force: true });
  try {
    mkdirSync(fresh);
    for (const [name, text] of files) writeNew(join(fresh, name), text, { sync: true });
    onDisk(fresh);
    if (isFolder(folder)) {
      rmSync(old, { recursive: true, force: true });
      renameSync(folder, old);
    }
    try {
      renameSync(fresh, folder);
    } catch (error) {
      if (isFolder(old)) renameSync(old, folder);
      throw error;
    }
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
  onDisk(above);
  rmSync(old, { recursive: true, force: true });
}

/** Returns when a folder's names are on the disk. */
function onDisk(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Every `kernel/target` below a folder; none where it is not there. */
export function storedSnapshots(dir: string): string[] {
  if (statSync(dir, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((kernel) => kernel.isDirectory())
    .flatMap((kernel) =>
      readdirSync(join(dir, kernel.name), { withFileTypes: true })
        .filter(({ name }) => !name.startsWith(".") && !name.endsWith(OLD) && isSnapshot(join(dir, kernel.name, name)))
        .map((target) => `${kernel.name}/${target.name}`),
    )
    .sort();
}
const isSnapshot = (folder: string): boolean =>
  isFolder(folder) && statSync(join(folder, "summary.json"), { throwIfNoEntry: false }) !== undefined;

/** The name of a kernel's snapshot, made from its file name. It names a folder inside another one. */
export function kernelName(path: string): string {
  const file = path === "-" ? "stdin" : basename(resolve(path));
  const base = file.replace(/\.\w+$/, "");
  // Triton's cache folders and dumps of a folder are named by their folder.
  const name = /^(?:kernel|source|index)$/.test(base) ? basename(dirname(resolve(path))) || base : base;
  return /^\.*$/.test(name) ? file : name;
}
