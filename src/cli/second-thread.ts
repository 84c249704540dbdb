/** The main function of a thread that the terminal UI has started. */
import { writeFile } from "../node/files.js";
import { secondThread } from "../tui/second-thread.js";
import { assembled } from "./machine-code.js";
import { PROGRAMS, readFile } from "./node-io.js";

export function work(): void {
  const world = { programs: PROGRAMS, env: process.env, readFile, writeFile: (path: string, text: string) => writeFile(path, text) };
  secondThread((code) => assembled(code, world, true));
}
