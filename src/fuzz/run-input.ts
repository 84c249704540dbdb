/** Runs one input in this process, and says how it ended. */
import { readConfig } from "../cli/config.js";
import { EXIT, type Io } from "../cli/io.js";
import { callTool } from "../mcp/tools.js";
import { failureOf } from "../node/failure.js";
import { cpuMs } from "../testing/cpu-time.js";
import { memoryIo } from "../testing/memory-io.js";
import type { FuzzInput, Tool } from "./kinds.js";

/** How a run ended. */
export interface Outcome {
  /** The exit code; 3 also where an exception came out. */
  readonly code: number;
  /** Milliseconds of CPU time. */
  readonly ms: number;
  /** Why it is a fault: the message with the place in the source. */
  readonly fault?: string;
}

const MAIN: Readonly<Record<Tool, () => Promise<{ readonly main: (argv: readonly string[], io: Io) => number | Promise<number> }>>> = {
  "tt-step": () => import("../cli/tt-step.js"),
  "tt-opt": () => import("../cli/tt-opt.js"),
  "triton-tensor-layout": () => import("../cli/triton-tensor-layout.js"),
  "cute-layout": () => import("../cli/cute-layout.js"),
  config: async () => ({ main: readConfigOf }),
  mcp: async () => ({ main: callToolOf }),
};

function readConfigOf(_: readonly string[], io: Io): number {
  const config = readConfig(io);
  if ("error" in config) io.stderr.write(config.error);
  return "error" in config ? EXIT.badInput : EXIT.ok;
}

/** Calls a tool as the server does; the message has passed its schema. */
function callToolOf([message = ""]: readonly string[], io: Io): number {
  let call: { readonly name?: unknown; readonly arguments?: unknown } | null;
  try {
    call = JSON.parse(message);
  } catch {
    call = null;
  }
  const args = call?.arguments ?? {};
  if (typeof call?.name !== "string" || typeof args !== "object" || Array.isArray(args)) {
    io.stderr.write("no call of a tool\n");
    return EXIT.badInput;
  }
  const { text, isError } = callTool(call.name, args as Readonly<Record<string, unknown>>, io);
  (isError ? io.stderr : io.stdout).write(text);
  return isError ? EXIT.badInput : EXIT.ok;
}

/** Text that must not reach a terminal: control characters but line feeds and tabs, and node's stack traces. */
const RAW = /[\0-\x08\x0b-\x1f\x7f]|^ {4}at .*\.[jt]s:\d+/m;

export async function runInput({ tool, argv, files }: FuzzInput): Promise<Outcome> {
  const { main } = await MAIN[tool]();
  const io = { ...memoryIo("", files), env: { XDG_CONFIG_HOME: "/config" } };
  const start = cpuMs();
  const ended = (code: number, fault?: string): Outcome => ({
    code,
    ms: cpuMs() - start,
    ...(fault === undefined ? {} : { fault }),
  });
  try {
    const code = await main(argv, io);
    if (![0, 1, 2].includes(code)) return ended(code, io.err().split("\n").at(-2) ?? `exit ${code}`);
    if (code === 2 && io.err() === "" && io.out() === "") return ended(code, "exit 2 without a word");
    const raw = RAW.exec(io.err());
    if (raw) return ended(code, `unsafe text on stderr: ${JSON.stringify(raw[0])}`);
    return ended(code);
  } catch (error) {
    if (!failureOf(error).isBug) return ended(EXIT.badInput); // As the commands themselves do.
    const { message, stack = "" } = error as Error;
    const place = stack.split("\n").find((line) => /^\s+at /.test(line)) ?? "";
    return ended(3, `${(error as Error).name}: ${message.slice(0, 200)}${place.replace(/(\(|at (?=file:)).*[/\\]/, "$1")}`);
  }
}
