/** A folder of files that torch.compile wrote: a menu of their kernels. */

import { readEmbedded } from "../frontend/compile-python.js";
import type { Choices } from "../frontend/specialize.js";
import { LIMITS } from "../support/limits.js";
import type { FolderFile } from "../trace/import/folder.js";
import { type Rejected, rejected } from "./source.js";

/** The kernels in the Python files of a folder, of which one must be chosen; undefined where no file has one of Inductor's. */
export function kernelMenu(folder: string, files: readonly FolderFile[]): Rejected | undefined {
  const items: Choices["items"][number][] = [];
  const sources = files.filter(({ path }) => path.endsWith(".py"));
  for (const { path, read } of sources.slice(0, LIMITS["python-modules"].most)) {
    const text = read();
    const file = `${folder.replace(/\/+$/, "")}/${path}`;
    for (const { name, title } of kernelsOf(file, text))
      items.push({ text: `${path}: ${name}${title === undefined ? "" : `: ${title}`}`, given: { kernel: name }, path: file });
  }
  if (items.length === 0) return undefined;
  const list = items.map(({ text }) => `  ${text}`).join("\n");
  return rejected(`'${folder}' has ${items.length} kernels of torch.compile; choose one by its file and --kernel:\n${list}`, {
    choices: { title: "kernels", items },
  });
}

/** The kernels of an `output_code.py`, or that of a file of its own in Inductor's cache. */
function kernelsOf(file: string, text: string): readonly { readonly name: string; readonly title?: string | undefined }[] {
  const { kernels } = readEmbedded(file, text);
  if (kernels.length > 0 || !/^@triton_heuristics\.\w+\(/m.test(text)) return kernels;
  const name = /^@triton\.jit\r?\ndef (\w+)\(/m.exec(text)?.[1];
  return name === undefined ? [] : [{ name }];
}
