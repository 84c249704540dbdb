/** Runs $EDITOR on a file; what was written there is never lost. */
import { rmSync } from "node:fs";
import { fileError, readText, writeNew } from "../node/files.js";

/** Why there is no edited text, and whether there is one in the file all the same. */
interface EditFailed {
  readonly error: string;
  readonly isKept: boolean;
}

/** The file's text afterwards. With `text` the file is made first, for the user alone; `line` is where the cursor is put. */
export function editText(
  path: string,
  text: string | undefined,
  line: number | undefined,
): { readonly path: string; readonly text: string } | EditFailed {
  const command = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
  try {
    if (text !== undefined) writeNew(path, text, { mode: 0o600 });
  } catch (error) {
    return { error: `cannot write ${path}: ${fileError(error)}`, isKept: false };
  }
  // Editors for programs take +LINE; others are given the file alone.
  const words = command.split(/\s+/);
  const program = words[0]!.slice(words[0]!.lastIndexOf("/") + 1);
  const at = line !== undefined && /^(?:vi|vim|nvim|nano|emacs|emacsclient|micro|kak|joe|less|ne)$/.test(program) ? [`+${line}`] : [];
  // Not imported: it takes long to load, and few edit.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, error, signal } = spawnSync(words[0]!, [...words.slice(1), ...at, path], { stdio: "inherit" });
  const failed = error ? `cannot run '${command}' ($EDITOR): ${error.message}` : `'${command}' ended with ${signal ?? status}`;
  try {
    const edited = readText(path);
    if (!error && status === 0) return { path, text: edited };
    if (edited !== text) return { error: `${failed}; the file is ${path}, e opens it again`, isKept: true };
    rmSync(path);
    return { error: `${failed}; nothing was changed`, isKept: false };
  } catch (readError) {
    return { error: `cannot read ${path} after '${command}': ${fileError(readError)}`, isKept: false };
  }
}
