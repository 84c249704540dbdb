/**
 * `npm run mutants`: plants faults in the compiler, one at a time, and sees whether `--validate` finds them. Each is compiled into a bundle of
 * `worker.ts`, which compiles the kernels of the fixtures that pass the fault's place, those of fixtures/mutants and then the cheapest first, until it is found. See docs/mutants.md.
 */
import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type BuildOptions, build, context, type Plugin } from "esbuild";
import { OUT_OF_TIME } from "../cpu-time.js";
import { readKernels, TARGETS } from "./cases.js";
import { type Fault, nameOf, placeOf, plant } from "./fault.js";
import { FAULTS } from "./faults/index.js";
import { generatedOffset } from "./source-map.js";
import type { Reply, Request, Step } from "./worker-messages.js";

const HELP = `Plants faults in the compiler and sees whether --validate finds them.

Usage: npm run mutants -- [options]

  --only TEXT     faults whose name or file contains it (repeatable)
  --kernel NAME   with kernels whose name contains it alone (repeatable)
  --fresh         forget earlier results; without it a run goes on where one was stopped
  --sound         no fault: validate every kernel on every target, and report false alarms
  --jobs N        processes at a time (default 2)
  --minutes N     stop after that long
  --json FILE     write the results there
`;
const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    kernel: { type: "string", multiple: true, default: [] },
    fresh: { type: "boolean", default: false },
    sound: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    minutes: { type: "string", default: "600" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Kernels whose final code differs that are validated, and those that are compiled, before a fault counts as missed. */
const MOST_VALIDATED = 10;
const MOST_COMPILED = 120;
/** The most targets for one kernel; the one that the fault names is tried on all. */
const MOST_TARGETS = 2;
/** One target of each generation. */
const FAULT_TARGETS = ["cuda:75", "cuda:80", "cuda:90", "cuda:100", "hip:gfx942", "hip:gfx950"];
/** A compiler that takes so much more CPU time than without the fault does not end. */
const PATIENCE = { factor: 10, ms: 30_000 };

/** Begins before the bundle is loaded, so that tables which are made then count. */
const COVERAGE = `data:text/javascript,import { Session } from "node:inspector";
  globalThis.coverage = new Session();
  coverage.connect();
  coverage.post("Profiler.enable");
  coverage.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });`.replaceAll("\n", "");

// Bundles.

const BUNDLED = {
  entryPoints: ["src/testing/planted/worker.ts"],
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  logLevel: "error",
} satisfies BuildOptions;

/** Bundles with faults, one after another: only the file with the fault, and the one that had the last, are parsed again. */
async function makePlanter(path: string): Promise<Planter> {
  let planted: Fault | undefined;
  const plugin: Plugin = {
    name: "fault",
    setup: ({ onLoad }) =>
      onLoad({ filter: FAULTY_FILES }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const isFaulty = planted && path.replaceAll("\\", "/").endsWith(`/src/${planted.file}`);
        return { contents: isFaulty ? plant(planted!, text) : text, loader: "ts" };
      }),
  };
  const incremental = await context({ ...BUNDLED, outfile: path, plugins: [plugin] });
  return {
    path,
    async plant(fault) {
      planted = fault;
      await incremental.rebuild();
    },
    async end() {
      await incremental.dispose();
      rmSync(path, { force: true });
    },
  };
}
interface Planter {
  /** The bundle's file. */
  readonly path: string;
  readonly plant: (fault: Fault) => Promise<void>;
  readonly end: () => Promise<void>;
}
const FAULTY_FILES = new RegExp(
  `[/\\\\]src[/\\\\](?:${[...new Set(FAULTS.map(({ file }) => file))].join("|").replaceAll(".", "\\.").replaceAll("/", "[/\\\\]")})$`,
);

/** A process that replies to one request at a time. */
class Worker {
  #child: ChildProcess | undefined;
  constructor(
    readonly bundle: string,
    readonly args: readonly string[] = [],
    readonly nodeArgs: readonly string[] = [],
  ) {}

  /** The reply, or why there is none. */
  ask(request: Request): Promise<Reply | string> {
    this.#child ??= fork(this.bundle, [...this.args], {
      execArgv: ["--max-old-space-size=3000", ...this.nodeArgs],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const child = this.#child;
    return new Promise((resolve) => {
      const done = (reply: Reply | string) => {
        child.removeAllListeners();
        if (typeof reply === "string") this.end();
        resolve(reply);
      };
      child.once("message", done);
      child.once("exit", (code, signal) =>
        done(
          signal === OUT_OF_TIME
            ? `limit: no end after ${Math.round(request.limitMs / 1000)} s of CPU time`
            : `crash: ${signal ?? `exit ${code}`}`,
        ),
      );
      child.send(request);
    });
  }
  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }
}

/** Runs `work` on the items, some at a time, until the time is over. */
async function inParallel<T>(items: readonly T[], makeWork: (job: number) => Promise<Job<T>> | Job<T>): Promise<void> {
  const queue = [...items];
  const one = async (job: number) => {
    const { work, end } = await makeWork(job);
    for (let item = queue.shift(); item !== undefined && performance.now() < deadline; item = queue.shift()) await work(item);
    await end();
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, (_, job) => one(job)));
}
interface Job<T> {
  readonly work: (item: T) => Promise<void>;
  readonly end: () => Promise<void> | void;
}
const deadline = Number(options.minutes) * 60_000;

// Records of earlier runs of the same sources.

/** Records by key, appended to a file as they come. */
class Log<T> {
  readonly #entries = new Map<string, T>();
  readonly #path: string;
  constructor(within: string, name: string) {
    this.#path = `${within}/${name}.jsonl`;
    if (!existsSync(this.#path)) return;
    for (const line of readFileSync(this.#path, "utf8").split("\n").slice(0, -1)) this.#entries.set(...(JSON.parse(line) as [string, T]));
  }
  get = (key: string): T | undefined => this.#entries.get(key);
  set(key: string, value: T): void {
    this.#entries.set(key, value);
    appendFileSync(this.#path, `${JSON.stringify([key, value])}\n`);
  }
}

const kernels = new Map(
  [...readKernels()].filter(([name]) => options.kernel.length === 0 || options.kernel.some((text) => name.includes(text))),
);
const hash = (parts: Iterable<string>): string => {
  const sum = createHash("sha1");
  for (const part of parts) sum.update(`${part.length} ${part}`);
  return sum.digest("hex").slice(0, 12);
};
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((f) => /\.ts$/.test(f) && !/\.test\.ts$|^(?:testing|bench|tui|frontend)[/\\]/.test(f))
  .sort();
const stateOf = (files: readonly string[]): string => hash(files.map((f) => readFileSync(`src/${f}`, "utf8")));
/** A build empties dist. */
const root = "node_modules/.cache/mutants";
/** Compiled kernels, and bundles. Changes of the validation alone leave it as it is. */
const compilerFolder = `${root}/${stateOf(sources.filter((f) => !/^(?:simulate|explain|limits|cli|web|mcp|library|learn)[/\\]/.test(f)))}`;
/** Results of validations. */
const folder = `${compilerFolder}/${stateOf(sources)}`;
if (options.fresh) rmSync(compilerFolder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

interface Case extends Pick<Request, "kernel" | "target"> {
  readonly id: string;
  /** Changes with the kernel's text and options. */
  readonly key: string;
}
const cases: readonly Case[] = [...kernels].flatMap(([kernel, contents]) =>
  TARGETS.filter((target) => target.startsWith(contents.platform ?? "")).map((target) => {
    const id = `${kernel}@${target.slice(target.indexOf(":") + 1)}`;
    return { kernel, target, id, key: `${id} ${hash([JSON.stringify(contents)])}` };
  }),
);
/** How a kernel compiles without a fault; `failed` where it is not for that target. */
const compiled = new Log<Pick<Reply, "steps" | "failed" | "compileMs">>(compilerFolder, "compiled");
/** The keys of faults whose places the compilation of a kernel passes; of these faults, `among`. */
const passed = new Log<{ readonly among: string; readonly faults: readonly string[] }>(compilerFolder, "passed");
/** The time to validate the sound compiler's work, and the result. */
const sound = new Log<{ readonly ms: number; readonly code: number; readonly text: string }>(folder, "sound");
const results = new Log<Result>(folder, "results");

/** Where a fault was found last, in any state of the sources: it is tried there first. */
const foundAt = new Log<string>(root, "found");

const keyOf = (fault: Fault): string => hash([fault.file, fault.in, fault.find, fault.replace]);
const ALL_FAULTS = hash(FAULTS.map(keyOf));

/** Compiles kernels without a fault, and notes which faults' places that passes. */
async function compileSound(wanted: readonly Case[]): Promise<void> {
  const open = wanted.filter(({ key }) => passed.get(key)?.among !== ALL_FAULTS);
  const path = `${folder}/worker.cjs`;
  await build({ ...BUNDLED, outfile: path, sourcemap: true });
  if (open.length === 0) return;
  const offset = generatedOffset(path);
  const places = FAULTS.map((fault) => {
    const text = readFileSync(`src/${fault.file}`, "utf8");
    const place = placeOf(fault, text);
    if (typeof place === "string") throw new Error(`${nameOf(fault)}: ${place}`);
    // The replacement may start like the original text: reaching that common start does not mean reaching the change.
    const { find, replace } = fault;
    let same = 0;
    while (same < find.length - 1 && find[same] === replace[same]) same++;
    return offset(fault.file, text, place + (replace === "" ? 0 : same));
  });
  say(`compiling ${open.length} kernels without a fault`);
  await inParallel(open, () => {
    // Optimized code does not count the calls of functions that it has taken in.
    const worker = new Worker(path, [JSON.stringify(places)], ["--no-opt", "--import", COVERAGE]);
    const work = async ({ id, key, kernel, target }: Case) => {
      const reply = await worker.ask({ kernel, target, limitMs: 120_000 });
      if (typeof reply === "string") throw new Error(`${id}: ${reply}`);
      const { steps, failed, compileMs } = reply;
      compiled.set(key, { steps, failed, compileMs });
      passed.set(key, { among: ALL_FAULTS, faults: failed === undefined ? reply.reached!.map((i) => keyOf(FAULTS[i]!)) : [] });
    };
    return { work, end: () => worker.end() };
  });
}

// The sound compiler.

async function validateSound(): Promise<void> {
  const wanted = cases.filter(({ id }) => matches(id));
  const sizeOf = ({ kernel }: Case) => kernels.get(kernel)!.text.length;
  const open = wanted.filter(({ key }) => !sound.get(key)).sort((a, b) => sizeOf(a) - sizeOf(b));
  say(`validating ${open.length} of ${wanted.length} cases without a fault`);
  await build({ ...BUNDLED, outfile: `${folder}/worker.cjs`, sourcemap: true });
  await inParallel(open, () => {
    const worker = new Worker(`${folder}/worker.cjs`);
    const work = async ({ id, key, kernel, target }: Case) => {
      const reply = await worker.ask({ kernel, target, sound: [], limitMs: 600_000 });
      const { validation, failed, validateMs } = typeof reply === "string" ? { ...NO_REPLY, validation: { code: 3, text: reply } } : reply;
      sound.set(key, { ms: Math.round(validateMs), ...(validation ?? { code: NOT_FOR_TARGET, text: failed! }) });
      if (validation && validation.code !== 0) say(`${id}: ${validation.text.split("\n", 1)[0]}`);
    };
    return { work, end: () => worker.end() };
  });
  const done = wanted.flatMap(({ id, key }) => (sound.get(key) ? [{ id, ...sound.get(key)! }] : []));
  const validated = done.filter(({ code }) => code !== NOT_FOR_TARGET);
  const alarms = validated.filter(({ code }) => code !== 0);
  for (const { id, text } of alarms) process.stdout.write(`${id}: ${text.split("\n", 1)[0]}\n`);
  const left = wanted.length - done.length;
  process.stdout.write(
    `${validated.length} kernels validated, ${alarms.length} false alarms${left > 0 ? `, ${left} left` : ""}; ${done.length - validated.length} are not for their target\n`,
  );
}
/** The code of a kernel that does not compile for the target. */
const NOT_FOR_TARGET = -1;
const NO_REPLY = { failed: undefined, validateMs: 600_000 };
const matches = (id: string): boolean => options.only.length === 0 || options.only.some((text) => id.includes(text));

// Faults.

interface Result {
  readonly verdict: "found" | "missed" | "no effect on the final code" | "changed nothing" | "not reached";
  /** Where it was found; or, of one that was missed, all that was validated. */
  readonly cases: readonly string[];
  /** By what: validation, verifier, diagnostic, exception, crash, limit. */
  readonly by?: string;
  /** The first pass whose text is not as without the fault. */
  readonly first?: string | undefined;
  /** The passes that are named. */
  readonly named?: readonly string[];
  readonly message?: string;
  readonly seconds: number;
}

/** Code of one vendor's is planted for its targets alone, and code that all share for NVIDIA's. */
const isOfAmd = (text: string): boolean => /^hip:|\bamd\w*\/|dialects\/rocdl\//.test(text);
const faultCases = cases.filter(({ target }) => FAULT_TARGETS.includes(target));
const candidatesOf = (fault: Fault): Case[] =>
  faultCases.filter(({ key, target }) => isOfAmd(target) === isOfAmd(fault.file) && passed.get(key)?.faults.includes(keyOf(fault)));
/** With other kernels a fault is judged again. */
const resultKeyOf = (fault: Fault): string => hash([keyOf(fault), ...candidatesOf(fault).map(({ key }) => key)]);

async function judge(fault: Fault, { plant, path }: Planter): Promise<Result> {
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 100) / 10;
  const cost = ({ key }: Case) => sound.get(key)?.ms ?? 20 * compiled.get(key)!.compileMs;
  const shows = ({ id, kernel }: Case) =>
    id === foundAt.get(keyOf(fault)) ? 3 : kernel === fault.kernel ? 2 : Number(kernels.get(kernel)!.showsFaults);
  const candidates = candidatesOf(fault).sort((a, b) => shows(b) - shows(a) || cost(a) - cost(b));
  if (candidates.length === 0) return { verdict: "not reached", cases: [], seconds: 0 };
  await plant(fault);
  const worker = new Worker(path);
  const tries = new Map<string, number>();
  const validated: string[] = [];
  let first: string | undefined;
  let tried = 0;
  try {
    for (const { id, key, kernel, target } of candidates) {
      if (validated.length >= MOST_VALIDATED || tried >= MOST_COMPILED || performance.now() > deadline) break;
      if (kernel !== fault.kernel && (tries.get(kernel) ?? 0) >= MOST_TARGETS) continue;
      tries.set(kernel, (tries.get(kernel) ?? 0) + 1);
      tried++;
      const { steps, compileMs } = compiled.get(key)!;
      const limitMs = PATIENCE.ms + PATIENCE.factor * (compileMs + (sound.get(key)?.ms ?? 3000));
      const reply = await worker.ask({ kernel, target, sound: steps, limitMs });
      const found = (by: string, message: string, named: readonly string[] = []): Result => ({
        verdict: "found",
        cases: [id],
        by,
        first,
        named,
        message,
        seconds: seconds(),
      });
      if (typeof reply === "string") return found(reply.split(":", 1)[0]!, reply);
      const at = firstDifference(steps, reply.steps);
      if (at !== undefined) first = (reply.steps[at] ?? steps[at])![0];
      if (reply.failed !== undefined) {
        const [reason = "", pass = ""] = reply.failed.split(": ");
        return found({ verify: "verifier", pass: "diagnostic", ptx: "diagnostic" }[reason] ?? reason, reply.failed, [pass]);
      }
      if (reply.validation === undefined) continue;
      const { code, text } = reply.validation;
      validated.push(id);
      const message = text.split("\n").find((line) => line.startsWith("validate:")) ?? text;
      if (code !== 0)
        return found(
          "validation",
          message,
          steps.flatMap(([pass]) => (message.includes(`'${pass}'`) ? [pass] : [])),
        );
    }
  } finally {
    worker.end();
  }
  const verdict = validated.length > 0 ? "missed" : first === undefined ? "changed nothing" : "no effect on the final code";
  return { verdict, cases: validated, ...(first === undefined ? {} : { first }), seconds: seconds() };
}

/** The index of the first step that is not the same. */
function firstDifference(before: readonly Step[], after: readonly Step[]): number | undefined {
  const at = after.findIndex(([pass, text], i) => before[i]?.[0] !== pass || before[i]?.[1] !== text);
  return at >= 0 ? at : after.length < before.length ? after.length : undefined;
}

async function judgeAll(faults: readonly Fault[]): Promise<void> {
  await compileSound(faultCases.filter(({ target }) => faults.some(({ file }) => isOfAmd(file) === isOfAmd(target))));
  // In no order, so that a run that is stopped says something of all parts.
  const open = faults.filter((fault) => !results.get(resultKeyOf(fault))).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  say(`${open.length} of ${faults.length} faults are to be planted`);
  await inParallel(open, async (job) => {
    const planter = await makePlanter(`${folder}/fault${process.pid}-${job}.cjs`);
    const work = async (fault: Fault) => {
      const result = await judge(fault, planter);
      if (performance.now() < deadline || result.verdict === "found") results.set(resultKeyOf(fault), result);
      if (result.verdict === "found") foundAt.set(keyOf(fault), result.cases[0]!);
      say(lineOf(fault, result));
    };
    return { work, end: planter.end };
  });
  report(faults);
}

function lineOf(fault: Fault, { verdict, cases: at, by, named, first, seconds }: Result): string {
  const place =
    at[0] === undefined
      ? ""
      : ` (${at[0]}${by === undefined ? "" : `, by ${by}`}${named?.length ? ` at ${named.join(", ")}` : ""}${first === undefined ? "" : `, differs from ${first} on`})`;
  return `${verdict}${fault.equivalent === undefined ? "" : " [equivalent]"}: ${nameOf(fault)}${place} ${seconds} s`;
}

function report(faults: readonly Fault[]): void {
  const judged = faults.flatMap((fault) => {
    const result = results.get(resultKeyOf(fault));
    return result ? [{ fault, result }] : [];
  });
  const real = judged.filter(({ fault }) => fault.equivalent === undefined);
  const count = (list: typeof judged, ...verdicts: readonly Result["verdict"][]) =>
    list.filter(({ result }) => verdicts.includes(result.verdict)).length;
  const lines = [`${judged.length} of ${faults.length} faults planted, ${judged.length - real.length} of them equivalent`];
  for (const folderName of new Set(real.map(({ fault }) => groupOf(fault)))) {
    const group = real.filter(({ fault }) => groupOf(fault) === folderName);
    lines.push(
      `  ${folderName.padEnd(40)} ${String(group.length).padStart(3)} planted ${String(count(group, "found", "missed")).padStart(3)} triggered ${String(count(group, "found")).padStart(3)} found`,
    );
  }
  const found = real.filter(({ result }) => result.verdict === "found");
  lines.push(`${count(real, "found", "missed")} triggered, ${found.length} found, ${count(real, "missed")} missed`);
  const by = new Map<string, number>();
  for (const { result } of found) by.set(result.by!, (by.get(result.by!) ?? 0) + 1);
  lines.push(`found by: ${[...by].map(([what, n]) => `${what} ${n}`).join(", ")}`);
  const named = found.filter(({ result }) => result.by === "validation");
  const right = named.filter(({ result }) => result.named!.includes(result.first!));
  lines.push(`the pass named is the first whose result differs: ${right.length} of ${named.length}`);
  for (const verdict of ["missed", "no effect on the final code", "changed nothing", "not reached"] as const)
    for (const { fault, result } of real) if (result.verdict === verdict) lines.push(lineOf(fault, result));
  for (const { fault, result } of judged)
    if (fault.equivalent !== undefined && result.verdict === "found")
      lines.push(`found though said to be equivalent: ${nameOf(fault)}: ${result.message}`);
  process.stdout.write(`${lines.join("\n")}\n`);
  if (options.json !== undefined)
    writeFileSync(
      options.json,
      `${JSON.stringify(
        judged.map(({ fault, result }) => ({ ...fault, ...result })),
        null,
        1,
      )}\n`,
    );
}
const groupOf = ({ file }: Fault): string => file.split("/").slice(0, -1).join("/");

const say = (line: string): void => void process.stderr.write(`[${Math.round(performance.now() / 1000)} s] ${line}\n`);

if (options.help) process.stdout.write(HELP);
else if (options.sound) await validateSound();
else
  await judgeAll(
    FAULTS.filter((fault) => options.only.length === 0 || options.only.some((text) => `${fault.file} ${nameOf(fault)}`.includes(text))),
  );
