/** Runs inputs in another process, which it ends where one takes too long or too much memory, and starts again. */
import { type ChildProcess, fork } from "node:child_process";
import type { FuzzInput } from "./kinds.js";
import type { Outcome } from "./run-input.js";

/** An input of less than 100 kB takes less than this; both are goals, and a fault where they are passed. */
export const LIMITS = { ms: 2000, megabytes: 512 } as const;
/** A process is ended after this time, in milliseconds. */
const PATIENCE = 20_000;

export class Watchdog {
  #child: ChildProcess | undefined;

  /** `program` is this bundle; with `--worker` it is the other process. */
  constructor(readonly program: string) {}

  /** `timed`: an input that takes long is a fault. */
  run(input: FuzzInput, timed = true): Promise<Outcome> {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve) => {
      const start = performance.now();
      const end = (outcome: Outcome, restart: boolean) => {
        clearTimeout(timer);
        child.off("message", onMessage);
        child.off("exit", onExit);
        if (restart) this.close();
        resolve(outcome);
      };
      const ms = () => performance.now() - start;
      const onMessage = (outcome: Outcome) =>
        end(
          timed && outcome.fault === undefined && outcome.ms > LIMITS.ms ? { ...outcome, fault: `slower than ${LIMITS.ms} ms` } : outcome,
          false,
        );
      const onExit = (code: number | null, signal: string | null) =>
        end(
          { code: 3, ms: ms(), fault: `the process died (${signal ?? code}): memory above ${LIMITS.megabytes} MB, or a native crash` },
          true,
        );
      const timer = setTimeout(() => end({ code: 3, ms: ms(), fault: `no end after ${PATIENCE} ms` }, true), PATIENCE);
      child.once("message", onMessage);
      child.once("exit", onExit);
      child.send(input);
    });
  }

  close(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  #start(): ChildProcess {
    // The stack is node's own; the heap holds the compiler itself too, about 100 MB.
    const execArgv = [`--max-old-space-size=${LIMITS.megabytes + 100}`];
    return fork(this.program, ["--worker"], { execArgv, serialization: "advanced", stdio: ["ignore", "ignore", "ignore", "ipc"] });
  }
}
