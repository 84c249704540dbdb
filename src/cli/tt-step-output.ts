/** Where the commands of `tt-step` write: results, and why there are none. */
import { fileError } from "../node/files.js";
import { terminalText } from "../support/terminal-text.js";
import { EXIT, type Io } from "./io.js";
import type { TtStepArgs } from "./tt-step-args.js";
import type { Input } from "./tt-step-ir-input.js";

/** Why an input cannot be read, and the exit code. */
export function refuse(input: Extract<Input, { readonly kind: "error" }>, io: Io): number {
  if (input.rendered !== undefined) io.stderr.write(input.rendered);
  return input.message === undefined ? EXIT.badInput : usage(io, input.message);
}
/** Wrong input or usage: why, and its exit code. */
export function usage(io: Io, message: string, code: number = EXIT.badInput): number {
  io.stderr.write(`tt-step: ${message}\n`);
  return code;
}
/** Writes a text where the arguments say; `exact` is a file's text, and no report. */
export function deliver(text: string, args: Pick<TtStepArgs, "output" | "color">, io: Io, exact = false): number {
  if (args.output === "-") {
    if (exact) io.stdout.writeBytes(text);
    else io.stdout.write(text);
    return EXIT.ok;
  }
  try {
    io.writeFile(args.output, args.color === "always" && !exact ? terminalText(text) : text);
    return EXIT.ok;
  } catch (error) {
    return usage(io, `cannot write '${args.output}': ${fileError(error)}`);
  }
}
