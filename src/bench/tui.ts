/**
 * Benchmarks of the terminal UI in a pseudo-terminal: the first frame, from a key to the end of its frame, bytes of a
 * frame, memory. Times are also given as CPU time of the UI (all its threads), which a busy machine changes less.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The pty is native code, which is not bundled. */
const { spawn } = createRequire(join(process.cwd(), "package.json"))("@lydell/node-pty") as typeof import("@lydell/node-pty");

/** Sizes, with the budgets of milliseconds from a key to the end of its frame: median and 99th of 100. */
const SIZES = [
  { cols: 200, rows: 55, budgets: [6, 25] },
  { cols: 120, rows: 40, budgets: [4, 16] },
] as const;
const FRAME_END = "\x1b[?2026l";
/** Loaded into the UI: appends the milliseconds of CPU time of each frame to a file, from the key on; of the first from the start on. */
const CPU_CLOCK = `
const { openSync, writeSync } = require("node:fs");
const { Readable } = require("node:stream");
if (require("node:worker_threads").isMainThread) {
  const file = openSync(process.env.BENCH_CPU, "a");
  let start = { user: 0, system: 0 };
  const { push } = Readable.prototype;
  Readable.prototype.push = function (...chunk) {
    if (this === process.stdin) start = process.cpuUsage();
    return push.apply(this, chunk);
  };
  const { write } = process.stdout;
  process.stdout.write = function (text, ...rest) {
    const written = write.call(this, text, ...rest);
    if (start && String(text).includes(${JSON.stringify(FRAME_END)})) {
      const { user, system } = process.cpuUsage(start);
      start = undefined;
      writeSync(file, (user + system) / 1000 + "\\n");
    }
    return written;
  };
}
`;
interface Frame {
  /** Milliseconds that passed, and of CPU time. */
  readonly ms: number;
  readonly cpu: number;
  readonly bytes: number;
}
const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
const median = (values: readonly number[]): number => sorted(values)[values.length >> 1]!;
const percentile = (values: readonly number[], p: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * p))]!;

/** Prints the figures. `lowered` is LLVM dialect whose functions can be repeated by `repeat`; `scratch` a folder for inputs. */
export async function reportTui(lowered: string, repeat: (text: string, times: number) => string, scratch: string): Promise<void> {
  process.stdout.write(`\nTerminal UI\n`);
  await reportFirstFrame("fixtures/kernels/matmul.ttir");
  const lines = lowered.split("\n").length;
  for (const wanted of [5000, 100_000]) {
    const file = join(scratch, `${wanted}.log`);
    writeFileSync(file, logOf(repeat(lowered, Math.ceil(wanted / lines))), "latin1");
    for (const size of SIZES) await reportKeys(file, `${wanted.toLocaleString("en")} lines`, size);
    const other = join(scratch, `${wanted}-other.log`);
    writeFileSync(other, readFileSync(file, "latin1").replace(/llvm\.mul\b/g, "llvm.srem"), "latin1");
    await reportAgainst(file, other, `${wanted.toLocaleString("en")} lines`);
  }
  await reportMemory("fixtures/kernels/flash_attention.ttir", "cuda:80");
}

/** Memory of the UI on each of some inputs, given as `FILE@cuda:75`. */
export async function reportTuiMemory(inputs: readonly string[]): Promise<void> {
  process.stdout.write("\nTerminal UI\n");
  for (const input of inputs) {
    const [file, target = "cuda:80"] = input.split("@") as [string, string?];
    await reportMemory(file, target);
  }
}

/** Writes as many bytes as each line of input says, and the end of a frame: what a pseudo-terminal and node take by themselves. */
const ECHO = `
process.stdin.setRawMode(true);
process.stdin.on("data", (bytes) => process.stdout.write("x".repeat(Number(bytes)) + ${JSON.stringify(FRAME_END)}));
process.stdout.write("ready" + ${JSON.stringify(FRAME_END)});
`;

/** A running UI, or another program that reads keys. */
class Ui {
  #received = "";
  readonly #pty: ReturnType<typeof spawn>;
  readonly started = performance.now();
  readonly #scratch = mkdtempSync(join(tmpdir(), "tt-step-ui-"));
  #waiting: (() => void) | undefined;

  constructor(
    args: readonly string[],
    { cols, rows }: { readonly cols: number; readonly rows: number } = SIZES[0],
    program: readonly string[] = ["bin/tt-step.js"],
  ) {
    const [clock, times] = [join(this.#scratch, "clock.cjs"), join(this.#scratch, "times")];
    writeFileSync(clock, CPU_CLOCK);
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: "/nonexistent",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      NODE_OPTIONS: `--require ${clock}`,
      BENCH_CPU: times,
    };
    this.#pty = spawn(process.execPath, [...program, ...args], { cols, rows, env });
    this.#pty.onData((data) => {
      this.#received += data;
      this.#waiting?.();
    });
  }
  get pid(): number {
    return this.#pty.pid;
  }
  /** The output since the last call; waits until `wanted` accepts it. */
  async until(wanted: (received: string) => boolean): Promise<string> {
    const end = performance.now() + 120_000;
    while (!wanted(this.#received)) {
      if (performance.now() > end) throw new Error("the UI does not answer");
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
        setTimeout(resolve, 1000);
      });
    }
    const received = this.#received;
    this.#received = "";
    return received;
  }
  /** The CPU time of every frame so far. */
  frameTimes(): readonly number[] {
    return readFileSync(join(this.#scratch, "times"), "utf8").trimEnd().split("\n").map(Number);
  }
  /** From a key to the end of its frame; undefined where the key changes nothing that is seen. */
  async press(key: string): Promise<Frame | undefined> {
    const before = this.frameTimes().length;
    const start = performance.now();
    this.#pty.write(key);
    const frame = await this.until((text) => text.includes(FRAME_END) || performance.now() - start > 3000);
    const ms = performance.now() - start;
    if (frame === "") return undefined;
    // It is written after the frame.
    while (this.frameTimes().length === before) await new Promise((resolve) => setTimeout(resolve, 1));
    return { ms, cpu: this.frameTimes()[before]!, bytes: Buffer.byteLength(frame) };
  }
  /** Waits until nothing was written and little was computed for a while. */
  async rest(): Promise<void> {
    for (let [seen, ticks] = [-1, -9]; seen !== this.#received.length || this.ticks() - ticks > 3; ) {
      seen = this.#received.length;
      ticks = this.ticks();
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    this.#received = "";
  }
  /** Hundredths of seconds of computing. */
  private ticks(): number {
    return Number(readFileSync(`/proc/${this.pid}/stat`, "latin1").split(") ")[1]!.split(" ")[11]);
  }
  end(): void {
    this.#pty.kill("SIGKILL");
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

async function reportFirstFrame(file: string): Promise<void> {
  const firsts: number[] = [];
  const cpu: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < 9; i++) {
    const ui = new Ui([file]);
    await ui.until((text) => text.includes(FRAME_END));
    firsts.push(performance.now() - ui.started);
    await ui.until((text) => text.includes(FRAME_END));
    cpu.push(ui.frameTimes()[0]!);
    await ui.until((text) => /enable-line-info/.test(text) || /\d+\/\d+ changed/.test(text));
    await ui.until((text) => text.includes(FRAME_END));
    ends.push(performance.now() - ui.started);
    ui.end();
  }
  process.stdout.write(
    `  first frame of tt-step matmul.ttir: ${median(firsts).toFixed(0)} ms, ${median(cpu).toFixed(0)} ms of CPU (budget 300); first passes after ${median(ends).toFixed(0)} ms\n`,
  );
}

const banner = (pass: string): string => `// -----// IR Dump After ${pass} (${pass}) ('builtin.module' operation) //----- //\n`;
/** Three steps: in the second some ops are others and all are numbered anew, in the third a few more are others. */
function logOf(text: string): string {
  let [adds, muls] = [0, 0];
  const second = text
    .replace(/%(\d+)\b/g, (_, n: string) => `%${Number(n) + 1}`)
    .replace(/llvm\.add\b/g, (op) => (adds++ % 20 === 0 ? "llvm.sub" : op));
  const third = second.replace(/llvm\.mul\b/g, (op) => (muls++ % 10 === 0 ? "llvm.sdiv" : op));
  return `${banner("one")}${text}\n${banner("two")}${second}\n${banner("three")}${third}\n`;
}

/** Moving, scrolling, jumping between changes, stepping passes, folding, other tabs: as somebody reads. */
const READING = [
  "j",
  "j",
  "J",
  "J",
  "\x04",
  "n",
  "j",
  "K",
  "n",
  "\x15",
  "k",
  "}",
  "n",
  "{",
  "l",
  "N",
  "J",
  "j",
  ",",
  ".",
  "3",
  "j",
  "2",
  "|",
  "|",
  "|",
];

async function reportKeys(file: string, name: string, size: (typeof SIZES)[number]): Promise<void> {
  const ui = new Ui([file], size);
  await ui.until((text) => text.includes("three"));
  await ui.press("2");
  await ui.press(".");
  await ui.rest();
  const echo = new Ui([], size, ["-e", ECHO]);
  await echo.until((text) => text.includes("ready"));
  const frames: (Frame & { readonly key: string })[] = [];
  const echoes: number[] = [];
  for (let round = 0; round < 6; round++)
    for (const key of READING) {
      const frame = await ui.press(key);
      if (frame) {
        frames.push({ key, ...frame });
        // In turn with the keys of the UI: the machine is as busy.
        echoes.push((await echo.press(String(frame.bytes)))!.ms);
      }
      if (key === "." || key === ",") await ui.rest();
    }
  echo.end();
  await ui.press("|");
  await ui.press("|");
  await ui.press("g");
  await ui.press("g");
  const bytesOf = async (key: string): Promise<readonly number[]> => {
    const bytes: number[] = [];
    for (let i = 0; i < 20; i++) bytes.push((await ui.press(key))?.bytes ?? 0);
    return bytes;
  };
  const [scrolled, moved] = [await bytesOf("J"), await bytesOf("j")];
  ui.end();
  const slowest = frames.reduce((a, b) => (b.cpu > a.cpu ? b : a));
  const [times, cpu] = [frames.map((frame) => frame.ms), frames.map((frame) => frame.cpu)];
  const both = (of: (values: readonly number[]) => number) => `${of(times).toFixed(1)} ms, ${of(cpu).toFixed(1)} of CPU`;
  process.stdout.write(
    `  ${name} of LLVM dialect at ${size.cols}x${size.rows}: key to frame ${both(median)}, median (budget ${size.budgets[0]}; ` +
      `a process that only writes as many bytes takes ${median(echoes).toFixed(1)} ms); ` +
      `${both((values) => percentile(values, 0.99))}, p99 (budget ${size.budgets[1]}; ${percentile(echoes, 0.99).toFixed(1)} ms), ${slowest.cpu.toFixed(1)} at most (key ${JSON.stringify(slowest.key)}); ` +
      `${median(moved)} bytes to move the cursor by a line, ${median(scrolled)} to scroll\n`,
  );
}

/** The key that holds a step against another input's, and keys pressed while the difference is made. */
async function reportAgainst(file: string, other: string, name: string): Promise<void> {
  const ui = new Ui([file, "--tui", "--against", other]);
  await ui.until((text) => text.includes("three"));
  await ui.rest();
  await ui.press("2");
  for (let i = 0; i < 3; i++) {
    await ui.press("b");
    await ui.rest();
  }
  await ui.press(".");
  await ui.press(",");
  const start = performance.now();
  const times: number[] = [];
  for (let i = 0; performance.now() - start < 1500; i++) times.push((await ui.press("jk"[i % 2]!))?.ms ?? 0);
  ui.end();
  process.stdout.write(
    `  ${name} against another input: while the difference is made, key to frame ${median(times).toFixed(1)} ms median, ${Math.max(...times).toFixed(1)} ms at most\n`,
  );
}

async function reportMemory(file: string, target: string): Promise<void> {
  const ui = new Ui([file, "--target", target]);
  await ui.until((text) => text.includes(FRAME_END));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await ui.rest();
  for (const key of ["G", "4", "]", "]", "2", ">", "n", "."]) {
    await ui.press(key);
    await ui.rest();
  }
  const status = readFileSync(`/proc/${ui.pid}/status`, "utf8");
  const megabytes = (field: string) => (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024).toFixed(0);
  ui.end();
  process.stdout.write(`  memory on ${file} for ${target}: ${megabytes("VmRSS")} MB, ${megabytes("VmHWM")} MB at most\n`);
}
