/** Asks real Triton whether it takes a module: its parser and verifier, in a Python that has Triton. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";

/** Reads one module a line, as JSON, and prints one verdict a line. */
const PROGRAM = `
import json, os, sys, tempfile
from triton._C.libtriton import amd, ir, nvidia
path = os.path.join(tempfile.mkdtemp(), "m.mlir")
for line in sys.stdin:
    with open(path, "wb") as f: f.write(json.loads(line).encode("latin1"))
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    amd.load_dialects(context)
    try: verdict = "accepts" if ir.parse_mlir_module(path, context).verify() else "refuses"
    except RuntimeError: verdict = "refuses"
    print(verdict, flush=True)
`;

export type Verdict = "accepts" | "refuses" | "dies";

export class Triton {
  #child: ChildProcess | undefined;
  #lines: Interface | undefined;

  constructor(readonly python: string) {}

  /** `text` has one character a byte. An assertion of Triton's ends its process: it is started again. */
  ask(text: string): Promise<Verdict> {
    if (!this.#child) {
      this.#child = spawn(this.python, ["-c", PROGRAM], { stdio: ["pipe", "pipe", "ignore"] });
      this.#lines = createInterface({ input: this.#child.stdout! });
      // A process that dies is reported by its exit; writing to it may fail before.
      this.#child.stdin!.on("error", () => {});
      this.#child.on("error", (error) => {
        throw error;
      });
    }
    const [child, lines] = [this.#child, this.#lines!];
    return new Promise((resolve) => {
      const onLine = (line: string) => end(line as Verdict);
      const onExit = () => {
        this.close();
        end("dies");
      };
      const end = (verdict: Verdict) => {
        lines.off("line", onLine);
        child.off("exit", onExit);
        resolve(verdict);
      };
      lines.once("line", onLine);
      child.once("exit", onExit);
      child.stdin!.write(`${JSON.stringify(text)}\n`);
    });
  }

  close(): void {
    this.#child?.kill();
    this.#child = undefined;
  }
}
