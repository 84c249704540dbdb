/** Folders of kernels, of which one must be chosen: those that `tt-step capture` kept, and files that torch.compile wrote. */

import { readEmbedded } from "../frontend/compile-python.js";
import type { Choices } from "../frontend/specialize.js";
import { LIMITS } from "../support/limits.js";
import { shellWord } from "../support/shell-word.js";
import { type FolderFile, isTreeFile } from "../trace/import/folder.js";
import { type Captured, capturedSettings, readCapture } from "./capture.js";
import { type Rejected, rejected } from "./source.js";

/** The menu of a folder; undefined where it is no such folder. `readFile` reads the files that kernels were captured from. */
export function kernelMenu(
  folder: string,
  files: readonly FolderFile[],
  readFile: (path: string) => string | undefined,
): Rejected | undefined {
  const base = folder.replace(/\/+$/, "");
  const captures = files.filter(({ path }) => /^[^/]+\/capture\.json$/.test(path));
  if (captures.length > 0) return captureMenu(base, captures, files, readFile);
  // One kernel's own folder: its stages are shown.
  return files.some(({ path }) => path === "capture.json") ? undefined : (inductorMenu(base, files) ?? stagesMenu(base, files));
}

/** Kernels whose IR is in a folder, or whose cache folders are: more than one is no single compilation. */
function stagesMenu(base: string, files: readonly FolderFile[]): Rejected | undefined {
  if (files.some(({ path }) => isTreeFile(path))) return undefined;
  const stems = new Map<string, string[]>();
  for (const { path } of files) {
    const stem = /^(.+)\.(?:source|ttir|ttgir|mlir|llir|ptx|log)$/.exec(path)?.[1];
    if (stem !== undefined) stems.set(stem, [...(stems.get(stem) ?? []), path]);
  }
  if (stems.size < 2) return undefined;
  const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const items = [...stems].map(([stem, [first = ""]]): Item => {
    // A folder with one kernel is its cache: all its stages are shown.
    const isAlone = folderOf(stem) !== "" && [...stems.keys()].filter((other) => folderOf(other) === folderOf(stem)).length === 1;
    const path = isAlone ? folderOf(stem) : first;
    return { text: path, given: {}, path: `${base}/${path}` };
  });
  const list = items.map(({ path }) => `  tt-step ${shellWord(path!)}`).join("\n");
  return rejected(`'${base}' has ${items.length} kernels; choose one:\n${list}`, { choices: { title: "kernels", items } });
}

type Item = Choices["items"][number];

function captureMenu(
  base: string,
  captures: readonly FolderFile[],
  files: readonly FolderFile[],
  readFile: (path: string) => string | undefined,
): Rejected {
  const damaged: string[] = [];
  const items = captures.flatMap(({ path, read }): Item[] => {
    const name = path.slice(0, path.indexOf("/"));
    const captured = readCapture(`${base}/${name}`, read());
    if ("error" in captured) {
      damaged.push(captured.error);
      return [];
    }
    const { kernel, file, line, signature, grid, folder } = captured;
    const copy = files.find((f) => f.path === `${name}/source.py`)?.read();
    // The file as it is, unless it is gone or was changed since.
    const source = copy !== undefined && readFile(file) !== copy ? `${folder}/source.py` : file;
    const launched = grid === undefined ? "" : ` grid ${grid.join("x")}`;
    const text = `${kernel}(${signature}) ${optionsText(captured)}${launched} at ${file.slice(file.lastIndexOf("/") + 1)}:${line}`;
    const settings = capturedSettings(captured).filter(({ key }) => key !== "signature");
    return [{ text, given: { kernel, signature }, path: source, settings, against: folder }];
  });
  const lines = items.map(({ text, path, given, against, settings = [] }) => {
    const options = settings.map(({ key, value }) => optionText(key.replaceAll("_", "-"), value)).join(" ");
    const { kernel = "", signature = "" } = given;
    return `  ${text}\n    tt-step ${shellWord(path!)} --kernel ${kernel} --signature ${shellWord(signature)} ${options} --against ${shellWord(against!)}`;
  });
  const message = `'${base}' has ${items.length} captured kernel${items.length === 1 ? "" : "s"}; choose one:\n${[...lines, ...damaged.map((d) => `  ${d}`)].join("\n")}`;
  return rejected(message, items.length > 0 ? { choices: { title: "captured kernels", items } } : {});
}

const optionsText = ({ target, options }: Captured): string =>
  [target, ...["num_warps", "num_stages"].map((key) => `${key} ${options.get(key) ?? "default"}`)].join(" ");
const optionText = (name: string, value: string): string =>
  value === "True" ? `--${name}` : value === "False" ? `--no-${name}` : `--${name} ${value}`;

/** The kernels in the Python files of a folder, of which one must be chosen; undefined where no file has one of Inductor's. */
function inductorMenu(folder: string, files: readonly FolderFile[]): Rejected | undefined {
  const items: Item[] = [];
  const sources = files.filter(({ path }) => path.endsWith(".py"));
  for (const { path, read } of sources.slice(0, LIMITS["python-modules"].most)) {
    const text = read();
    const file = `${folder}/${path}`;
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
