/** Runs $EDITOR on a file; what was written there is never lost. */
import { spawnSync } from "node:child_process";
import { fileError, readText, writeNew } from "../node/files.js";

/** The file's text afterwards. With `text` the file is made first, for the user alone; `line` is where the cursor is put. */
export function editText(
  path: string,
  text: string | undefined,
  line: number | undefined,
): { readonly path: string; readonly text: string } | { readonly error: string } {
  const command = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
  try {
    if (text !== undefined) writeNew(path, text, { mode: 0o600 });
  } catch (error) {
    return { error: `cannot write ${path}: ${fileError(error)}` };
  }
  // Editors for programs take +LINE; others are given the file alone.
  const words = command.split(/\s+/);
  const program = words[0]!.slice(words[0]!.lastIndexOf("/") + 1);
  const at = line !== undefined && /^(?:vi|vim|nvim|nano|emacs|emacsclient|micro|kak|joe|less|ne)$/.test(program) ? [`+${line}`] : [];
  const { status, error, signal } = spawnSync(words[0]!, [...words.slice(1), ...at, path], { stdio: "inherit" });
  if (error) return { error: `cannot run '${command}' ($EDITOR): ${error.message}` };
  if (status !== 0) return { error: `'${command}' ended with ${signal ?? status}; the file is ${path}` };
  try {
    return { path, text: readText(path) };
  } catch (readError) {
    return { error: `cannot read ${path}: ${fileError(readError)}` };
  }
}
