/** One line on a terminal's standard error that says how far long work is. ctrl+c then ends the work after its current part. */
import { writeSync } from "node:fs";
import type { Progress } from "../support/slices.js";

/** The line is written that often, in milliseconds. */
const INTERVAL = 100;

export class ProgressLine {
  #what = "";
  #began = 0;
  #shown = 0;
  #interrupted = false;
  readonly #onInterrupt = () => {
    this.#interrupted = true;
    writeSync(2, "\r\x1b[Kending ...");
  };
  #isListening = false;

  readonly show = async (progress: Progress): Promise<boolean> => {
    if (!this.#isListening) {
      this.#isListening = true;
      process.once("SIGINT", this.#onInterrupt);
    }
    this.write(progress);
    // A signal is delivered between tasks only.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#interrupted;
  };

  readonly write = (progress: Progress): void => {
    const now = performance.now();
    if (progress.what !== this.#what) [this.#what, this.#began] = [progress.what, now];
    if (now - this.#shown < INTERVAL || now - this.#began < INTERVAL) return;
    this.#shown = now;
    writeSync(2, `\r\x1b[K${progressText(progress, now - this.#began)}`);
  };

  /** Removes the line. */
  end(): void {
    process.removeListener("SIGINT", this.#onInterrupt);
    if (this.#shown > 0) writeSync(2, "\r\x1b[K");
  }
}

/** `validate: 12 of 60, about 34 s left` */
export function progressText({ what, done, of }: Progress, milliseconds: number): string {
  const left = done === 0 ? 0 : Math.ceil((milliseconds / done) * ((of - done) / 1000));
  const time = left >= 120 ? `${Math.round(left / 60)} min` : `${left} s`;
  return `${what}: ${done} of ${of}${left > 1 ? `, about ${time} left` : ""}`;
}
