/** The message for an error that no other code has caught. */
import { Bug } from "../support/assert.js";
import { LimitError } from "../support/limits.js";
import { fileErrorText, isFileError } from "./files.js";

/** The file system's errors and limits are matters of the input; everything else is a bug of ours. */
export function failureOf(error: unknown): { readonly text: string; readonly isBug: boolean } {
  if (isFileError(error)) return { text: `error: ${fileErrorText(error)}`, isBug: false };
  if (error instanceof LimitError) return { text: `${error.message} [${error.code}]`, isBug: false };
  const { name, message } = error as Error;
  const what = error instanceof Bug ? message : `${name}: ${message}`;
  return { text: `internal error: ${what}\nThis is a bug in tt-step. Please report it with the input and the command line.`, isBug: true };
}
