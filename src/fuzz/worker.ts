/** The process that runs inputs: the parent names them, and ends it where one takes too long. */
import type { FuzzInput } from "./kinds.js";
import { type Outcome, runInput } from "./run-input.js";

export function work(): void {
  process.on("message", (input: FuzzInput) => {
    void runInput(input).then((outcome: Outcome) => process.send!(outcome));
  });
  process.on("disconnect", () => process.exit());
}
