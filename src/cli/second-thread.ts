/** The main function of a thread that the terminal UI has started. */
import { writeFile } from "../node/files.js";
import { secondThread } from "../tui/second-thread.js";
import { PROGRAMS, readFile } from "./node-io.js";
import { assembledPtx, machineCodeOf, NO_PTXAS } from "./ptxas.js";

export function work(): void {
  const world = { programs: PROGRAMS, env: process.env, readFile, writeFile: (path: string, text: string) => writeFile(path, text) };
  secondThread((ptx, options) => {
    const made = assembledPtx(ptx, options, world);
    return !made ? { error: NO_PTXAS } : "error" in made ? made : machineCodeOf(made);
  });
}
