/**
 * `npm run fuzz -- [--minutes N | --inputs N] [--kind KIND]... [--seed N] [--against-triton PYTHON]`: damaged inputs of every kind, run in a process with a
 * watchdog. An input may be refused; it must not end in exit code 3, take more than 2 s or 512 MB, or send control characters to the terminal.
 * Each fault is reduced and kept in `fixtures/fuzz`, where a test runs it from then on. Exit 1 if there was one.
 * `--inputs` runs so many of each kind, the same ones every time; how long they take does not count then.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { corpusOf, type FuzzInput, KINDS, makeInput } from "./kinds.js";
import { mutant } from "./mutate.js";
import { Random } from "./random.js";
import { reduce } from "./reduce.js";
import type { Outcome } from "./run-input.js";
import { Triton } from "./triton.js";
import { Watchdog } from "./watchdog.js";
import { work } from "./worker.js";

const KEPT = "fixtures/fuzz";

/** The outcome for all inputs of one kind. */
interface Tally {
  inputs: number;
  accepted: number;
  slowest: number;
  readonly faults: Map<string, number>;
}

/** Faults with one signature have one cause: numbers and quoted text are left out. */
const signature = (fault: string): string => fault.replaceAll(/'[^']*'|"[^"]*"|\d+/g, "N").slice(0, 160);

const HELP = `Runs damaged inputs and keeps each fault in ${KEPT}.

Usage: npm run fuzz -- [options]

  --minutes N              stop after that long (default 2)
  --inputs N               so many of each kind instead, the same ones every time
  --kind KIND              inputs of that kind alone (repeatable): ${KINDS.map(({ name }) => name).join(", ")}
  --seed N                 other inputs (default 1)
  --against-triton PYTHON  compare what tt-opt accepts with the Triton of a Python
`;

function options(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      minutes: { type: "string", default: "2" },
      inputs: { type: "string", default: "0" },
      kind: { type: "string", multiple: true },
      seed: { type: "string", default: "1" },
      "against-triton": { type: "string" },
      help: { type: "boolean", default: false },
    },
  }).values;
}

async function main(argv: readonly string[]): Promise<number> {
  let values: ReturnType<typeof options>;
  try {
    values = options(argv);
  } catch (error) {
    process.stderr.write(`fuzz: ${(error as Error).message}\n`);
    return 2;
  }
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const [minutes, seed, inputs] = [Number(values.minutes), Number(values.seed), Number(values.inputs)];
  const kinds = KINDS.filter(({ name }) => !values.kind || values.kind.includes(name));
  const unknown = values.kind?.find((name) => !KINDS.some((kind) => kind.name === name));
  if (unknown !== undefined || !(minutes > 0) || !Number.isInteger(seed) || !(inputs >= 0)) {
    process.stderr.write(
      `fuzz: --kind is one of ${KINDS.map(({ name }) => name).join(", ")}; --minutes, --inputs and --seed are numbers\n`,
    );
    return 2;
  }
  if (values["against-triton"] !== undefined) return compareWithTriton(values["against-triton"], minutes, seed);
  const watchdog = new Watchdog(process.argv[1]!);
  const tallies = new Map<string, Tally>();
  for (const [i, kind] of kinds.entries()) {
    const corpus = corpusOf(kind);
    const tally: Tally = { inputs: 0, accepted: 0, slowest: 0, faults: new Map() };
    tallies.set(kind.name, tally);
    const end = performance.now() + (minutes * 60_000) / kinds.length;
    for (let n = 0; inputs > 0 ? n < inputs : performance.now() < end; n++) {
      const input = makeInput(corpus, new Random(seed * 1_000_003 + i * 100_000_007 + n));
      await tryInput(kind.name, input, tally, watchdog, inputs === 0);
    }
    process.stdout.write(`${tallyText(kind.name, tally)}\n`);
  }
  watchdog.close();
  const all = [...tallies.values()];
  const faults = all.reduce((sum, { faults }) => sum + faults.size, 0);
  process.stdout.write(`fuzz: ${all.reduce((sum, { inputs }) => sum + inputs, 0)} inputs, ${faults} distinct faults (seed ${seed})\n`);
  return faults > 0 ? 1 : 0;
}

async function tryInput(kind: string, input: FuzzInput, tally: Tally, watchdog: Watchdog, timed: boolean): Promise<void> {
  const first = await watchdog.run(input, timed);
  // A busy machine, and code that V8 has not compiled yet, make some inputs slow once.
  const outcome = isSlow(first) ? await watchdog.run(input, timed) : first;
  tally.inputs++;
  if (outcome.code === 0) tally.accepted++;
  tally.slowest = Math.max(tally.slowest, outcome.ms);
  if (outcome.fault === undefined) return;
  const key = signature(outcome.fault);
  const seen = tally.faults.get(key) ?? 0;
  tally.faults.set(key, seen + 1);
  if (seen === 0) await keep(kind, input, outcome, key, watchdog);
}

const isSlow = ({ fault }: Outcome): boolean => fault?.startsWith("slower") === true;

/** Writes a reduced input that fails in the same way. */
async function keep(kind: string, input: FuzzInput, { fault }: Outcome, key: string, watchdog: Watchdog): Promise<void> {
  const smaller = /slower|no end|died/.test(key)
    ? input
    : await reduce(input, async (candidate) => {
        const { fault: again } = await watchdog.run(candidate);
        return again !== undefined && signature(again) === key;
      });
  // One message may have several causes.
  const path = `${KEPT}/${kind}-${createHash("sha256").update(JSON.stringify(smaller)).digest("hex").slice(0, 8)}.json`;
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(path, `${JSON.stringify({ fault, ...smaller }, undefined, 1)}\n`);
  process.stdout.write(`  ${path}: ${fault}\n`);
}

function tallyText(name: string, { inputs, accepted, slowest, faults }: Tally): string {
  const share = inputs === 0 ? 0 : (100 * accepted) / inputs;
  const lines = [...faults].map(([key, count]) => `\n    ${count}x ${key}`).join("");
  return `${name.padEnd(9)} ${String(inputs).padStart(7)} inputs, ${share.toFixed(0)} % accepted, slowest ${slowest.toFixed(0)} ms, ${faults.size} faults${lines}`;
}

/** Compares what `tt-opt` accepts and refuses with real Triton's parser and verifier. */
async function compareWithTriton(python: string, minutes: number, seed: number): Promise<number> {
  const triton = new Triton(python);
  const watchdog = new Watchdog(process.argv[1]!);
  const kinds = KINDS.filter(({ name }) => ["ttir", "ttgir", "llvm"].includes(name)).map(corpusOf);
  /** Seeds that Triton takes as they are: others are of older versions, and say nothing. */
  const taken = new Map<string, boolean>();
  const counts = new Map<string, number>();
  const end = performance.now() + minutes * 60_000;
  for (let n = 0; performance.now() < end; n++) {
    const random = new Random(seed * 1_000_003 + n);
    const { kind, seeds } = random.pick(kinds);
    const original = random.pick(seeds).text;
    if (!taken.has(original)) taken.set(original, (await triton.ask(original)) === "accepts");
    if (!taken.get(original)) continue;
    const text = mutant(original, random, random.pick(seeds).text);
    const { code } = await watchdog.run({ tool: "tt-opt", argv: ["m.mlir"], files: { "m.mlir": text } });
    const ours = code === 0 ? "accepts" : "refuses";
    const theirs = await triton.ask(text);
    const verdict = theirs === ours ? `both ${ours.slice(0, -1)}` : `tt-opt ${ours}, Triton ${theirs}`;
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (theirs === ours || theirs === "dies") continue;
    const key = createHash("sha256").update(text).digest("hex").slice(0, 8);
    mkdirSync("node_modules/.cache/fuzz", { recursive: true });
    writeFileSync(`node_modules/.cache/fuzz/${kind.name}-${ours}-${key}.mlir`, text, "latin1");
  }
  triton.close();
  watchdog.close();
  const sum = [...counts.values()].reduce((a, b) => a + b, 0);
  for (const [verdict, count] of counts) process.stdout.write(`${verdict.padEnd(32)} ${count} (${((100 * count) / sum).toFixed(2)} %)\n`);
  process.stdout.write("texts that differ are in node_modules/.cache/fuzz\n");
  return 0;
}

if (process.argv.includes("--worker")) work();
else process.exitCode = await main(process.argv.slice(2));
