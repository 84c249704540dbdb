/** A launch in a line, as it is typed in the UI: `M=4096 N=4096 a_desc=4096,512 grid=cdiv(M,128),4 gpu=h100`. */

import { readGrid } from "./grid.js";
import type { LimitsRequest } from "./limits.js";

/** The launch that a line states; the error is one line. */
export function readLaunchText(text: string): LimitsRequest | { readonly error: string } {
  const args: Record<string, number> = {};
  const shapes: Record<string, readonly number[]> = {};
  let grid: string | undefined;
  let gpu: string | undefined;
  for (const word of text.split(/\s+/).filter((w) => w !== "")) {
    const [, name, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
    if (name === undefined || value === undefined) return { error: `expected NAME=VALUE, not '${word}'` };
    if (name === "grid") grid = value;
    else if (name === "gpu") gpu = value;
    else if (/^\d+(?:,\d+)+$/.test(value)) shapes[name] = value.split(",").map(Number);
    else if (Number.isFinite(Number(value))) args[name] = Number(value);
    else return { error: `'${value}' is no number and no shape` };
  }
  if (grid === undefined) return { error: "the costs depend on how many programs there are: grid=X,Y,Z" };
  const read = readGrid(grid);
  if ("error" in read) return read;
  const extents = read(new Map(Object.entries(args)));
  return "error" in extents ? extents : { args, shapes, grid: extents, gpu };
}
