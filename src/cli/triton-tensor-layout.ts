import { EXIT, type Io } from "./io.js";
import { runMain } from "./node-io.js";
import { VERSION } from "./version.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);

/** `triton-tensor-layout`: not built yet; it says so. */
export function main(argv: readonly string[], io: Io): number {
  if (argv.includes("--version")) {
    io.stdout.write(`triton-tensor-layout ${VERSION}\n`);
    return EXIT.ok;
  }
  io.stderr.write("triton-tensor-layout: not built yet in this version of tt-step\n");
  return EXIT.badInput;
}
