/** `tt-step`: shows what the Triton compiler does to a kernel, pass by pass. Each subcommand is loaded when it is asked for. */
import { EXIT, type Io } from "./io.js";
import { runMain } from "./node-io.js";
import { readTtStep } from "./tt-step-args.js";

export const run = (argv?: readonly string[]): Promise<void> => runMain(main, argv);
/** The main function of another thread of the terminal UI. */
export const work = async (): Promise<void> => (await import("./tt-step-more.js")).work();

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const line = readTtStep(argv);
  if ("print" in line) {
    io.stdout.write(line.print);
    return EXIT.ok;
  }
  if ("error" in line) {
    io.stderr.write(`tt-step: ${line.error}\n`);
    return EXIT.badInput;
  }
  switch (line.command) {
    case "run":
      return (await import("./tt-step-more.js")).runCommand(line, io);
    case "bisect":
      return (await import("./tt-step-more.js")).bisectMain(line, io);
    case "capture":
      return (await import("./tt-step-more.js")).captureMain(line, io);
    case "limits":
      return (await import("./tt-step-more.js")).limitsMain(line, io);
    case "mcp":
      return (await import("./tt-step-mcp.js")).mcpMain(line.words, io);
    case "snapshot":
      return (await import("./tt-step-more.js")).snapshotMain(line, io);
    case "learn":
      return (await import("./tt-step-more.js")).learnMain(line, main, io);
    case "completion":
      return (await import("./tt-step-more.js")).completionMain(line.words, io);
    case "":
      return (await import("./tt-step-open.js")).stepMain(line, argv, io);
  }
}
