/** The process that runs inputs: the parent names them. It ends itself where one takes too long. */
import { cpuLimit } from "../testing/cpu-time.js";
import type { FuzzInput } from "./kinds.js";
import { type Outcome, runInput } from "./run-input.js";

/** The process ends after so many milliseconds of CPU time. */
export const PATIENCE = 20_000;

export function work(): void {
  const limit = cpuLimit();
  process.on("message", (input: FuzzInput) => {
    limit(PATIENCE);
    void runInput(input).then((outcome: Outcome) => {
      limit(Infinity);
      process.send!(outcome);
    });
  });
  process.on("disconnect", () => process.exit());
}
