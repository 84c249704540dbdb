/** Runs inputs in another process, and starts it again where one took too long or too much memory. */
import { type ChildProcess, fork } from "node:child_process";
import { OUT_OF_TIME } from "../testing/cpu-time.js";
import type { FuzzInput } from "./kinds.js";
import type { Outcome } from "./run-input.js";
import { PATIENCE } from "./worker.js";

/** An input of less than 100 kB takes less than this, in CPU time; both are goals, and a fault where they are passed. */
export const LIMITS = { ms: 2000, megabytes: 512 } as const;
export class Watchdog {
  #child: ChildProcess | undefined;

  /** `program` is this bundle; with `--worker` it is the other process. */
  constructor(readonly program: string) {}

  /** `timed`: an input that takes long is a fault. */
  run(input: FuzzInput, timed = true): Promise<Outcome> {
    const child = (this.#child ??= this.#start());
    return new Promise((resolve) => {
      const end = (outcome: Outcome, restart: boolean) => {
        child.off("message", onMessage);
        child.off("exit", onExit);
        if (restart) this.close();
        resolve(outcome);
      };
      const onMessage = (outcome: Outcome) =>
        end(
          timed && outcome.fault === undefined && outcome.ms > LIMITS.ms ? { ...outcome, fault: `slower than ${LIMITS.ms} ms` } : outcome,
          false,
        );
      const onExit = (code: number | null, signal: string | null) =>
        end(
          signal === OUT_OF_TIME
            ? { code: 3, ms: PATIENCE, fault: `no end after ${PATIENCE} ms` }
            : { code: 3, ms: 0, fault: `the process died (${signal ?? code}): memory above ${LIMITS.megabytes} MB, or a native crash` },
          true,
        );
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
