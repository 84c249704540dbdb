/** `tt-step snapshot INPUT...`: what the compiler makes of kernels, kept in files and compared in CI. */

import { join } from "node:path";
import { align } from "../diff/align.js";
import { countsText, unified } from "../diff/hunks.js";
import { compareFacts, differenceTable, type FinalFacts } from "../explain/compare-facts.js";
import { compile } from "../library/compile.js";
import { pipelineOf, settingsOf } from "../library/pipeline.js";
import { exceeded, figuresOf, type LimitFigures } from "../limits/figures.js";
import { readGrid } from "../limits/grid.js";
import { limitsOf } from "../limits/limits.js";
import { failureOf } from "../node/failure.js";
import type { Work } from "../support/slices.js";
import { DEFAULT_TRITON } from "../support/triton-version.js";
import { importTexts } from "../trace/import/import-dump.js";
import type { Trace } from "../trace/trace.js";
import { EXIT, type Io, watched } from "./io.js";
import { type JunitCase, junitFile } from "./junit.js";
import { type SnapshotValues, TT_STEP } from "./options/step.js";
import { type SnapshotFiles, snapshotFiles } from "./snapshot-content.js";
import { kernelName, readSnapshot, storedSnapshots, writeSnapshot } from "./snapshot-store.js";
import { COMPILE_NAMES, type LineOf, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { asked, everywhere, shownRange } from "./tt-step-compile.js";
import { NO_TRITON, readInput } from "./tt-step-input.js";
import { namesOfInput } from "./tt-step-validate.js";
import { noteUseless } from "./useless-options.js";

type SnapshotArgs = Pick<SnapshotValues, "dir" | "update" | "full" | "format" | "shard" | "limit" | "arg" | "shape" | "grid" | "gpu"> & {
  readonly inputs: readonly string[];
  readonly rest: TtStepArgs;
};

/** How a kernel compares with its snapshot. */
interface Result {
  readonly input: string;
  /** `matmul/sm80` */
  readonly name: string;
  readonly status: "same" | "different" | "new" | "updated" | "error";
  /** The first file that differs. */
  readonly where?: string;
  readonly detail?: string;
  /** An error of ours, and not of the input. */
  readonly isBug?: boolean;
  readonly ms: number;
}

export async function snapshotMain({ words, values, written }: LineOf<"snapshot">, io: Io): Promise<number> {
  const { limit, arg: _arg, shape: _shape, grid, gpu: _gpu, format: _format, ...compiler } = values;
  const rest = stepArgs(compiler, written, undefined, (input) => ["snapshot", input]);
  const error =
    "error" in rest
      ? rest.error
      : words.length === 0
        ? "snapshot expects input files. Try: tt-step snapshot --help"
        : limit.length > 0 && grid === undefined
          ? "--limit is about a launch: --grid and --arg state it"
          : undefined;
  if ("error" in rest || error !== undefined) {
    io.stderr.write(`tt-step: ${error}\n`);
    return EXIT.badInput;
  }
  const args: SnapshotArgs = { ...values, inputs: words, rest };
  const all = [...args.inputs].sort();
  const twice = all.map(kernelName).find((name, i, names) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    io.stderr.write(`tt-step: two inputs would have the snapshot '${twice}'\n`);
    return EXIT.badInput;
  }
  const [index, of] = args.shard;
  const known = new Set(all.map(kernelName));
  // Read first: where they cannot be, nothing can be compared.
  const orphans = storedSnapshots(args.dir).filter((name) => !known.has(name.split("/")[0]!));
  const mine = all.filter((_, i) => i % of === index - 1);
  const { value: results, interrupted } = await watched(resultsOf(mine, args, io), io);
  io.stdout.write(report(results, orphans, args));
  if (interrupted) {
    io.stderr.write(`tt-step: interrupted after ${results.length} of ${mine.length} inputs\n`);
    return EXIT.interrupted;
  }
  if (results.some((r) => r.isBug)) return EXIT.bug;
  if (results.some((r) => r.status === "error")) return EXIT.badInput;
  return results.some((r) => r.status === "different" || r.status === "new") ? EXIT.difference : EXIT.ok;
}

function* resultsOf(inputs: readonly string[], args: SnapshotArgs, io: Io): Work<readonly Result[]> {
  const results: Result[] = [];
  for (const input of inputs) {
    if (yield { what: "snapshot", done: results.length, of: inputs.length }) break;
    results.push(guarded(input, args, io));
  }
  return results;
}

/** A kernel that fails is reported, and the next one is looked at. */
function guarded(input: string, args: SnapshotArgs, io: Io): Result {
  const began = io.clock();
  try {
    return snapshotOf(input, args, io);
  } catch (error) {
    const { text: detail, isBug } = failureOf(error);
    return { input, name: kernelName(input), status: "error", detail, isBug, ms: io.clock() - began };
  }
}

function snapshotOf(input: string, args: SnapshotArgs, io: Io): Result {
  const began = io.clock();
  const ms = () => io.clock() - began;
  const made = traceFor(input, args, io);
  if ("error" in made) return { input, name: kernelName(input), status: "error", detail: made.error, ms: ms() };
  const { trace, limits } = made;
  const name = `${kernelName(input)}/${gpuPart(trace)}${versionPart(trace)}`;
  const folder = join(args.dir, name);
  const before = readSnapshot(folder);
  // A snapshot that was kept in full is compared in full.
  const now = snapshotFiles(trace, args.full || (!args.update && /"full": true/.test(before?.get("summary.json") ?? "")));
  const kept = before?.get(LIMITS_FILE) ?? "";
  if (limits) now.set(LIMITS_FILE, limits);
  else if (kept !== "") now.set(LIMITS_FILE, kept);
  const grown = before && limits && !args.update ? tooMuch(kept, limits, args) : undefined;
  if (grown !== undefined) return { input, name, status: "different", where: LIMITS_FILE, detail: grown, ms: ms() };
  const isNewLaunch = args.update && limits !== undefined && limits !== kept;
  const difference = before && (firstDifference(before, now) ?? (isNewLaunch ? { where: LIMITS_FILE, detail: "" } : undefined));
  if (before && !difference) return { input, name, status: "same", ms: ms() };
  if (args.update) {
    writeSnapshot(folder, now);
    return { input, name, status: "updated", ...(difference ? { where: difference.where } : {}), ms: ms() };
  }
  return difference
    ? { input, name, status: "different", where: difference.where, detail: `${factsText(before!, now)}${difference.detail}`, ms: ms() }
    : { input, name, status: "new", detail: "new, run --update", ms: ms() };
}

/** `sm80` for `cuda:80`, `gfx942` for `hip:gfx942`. */
function gpuPart({ target }: Trace): string {
  const [, gpu = "-unknown"] = /^\w+:(\w+)$/.exec(target ?? "") ?? [];
  return /^[\d-]/.test(gpu) ? `sm${gpu}` : gpu;
}

/** The version of Triton, where it is another than the default's: snapshots of two versions are kept side by side. */
const versionPart = ({ triton }: Trace): string => (triton === undefined || triton === DEFAULT_TRITON.name ? "" : `-triton${triton}`);

/** Figures of a launch: they are compared by `--limit`, and a difference in them is no difference of the snapshot. */
const LIMITS_FILE = "limits.json";

/** The figures that grew by more than they may; undefined where none did. */
function tooMuch(before: string, now: string, { limit }: SnapshotArgs): string | undefined {
  if (limit.length === 0) return undefined;
  if (before === "") return "the snapshot has no figures of a launch: --update with --grid keeps them";
  const [was, is] = [JSON.parse(before), JSON.parse(now)] as [KeptFigures, KeptFigures];
  if (JSON.stringify(was.launch) !== JSON.stringify(is.launch))
    return "the snapshot's figures are those of another launch: --update keeps these";
  const found = exceeded(was.figures, is.figures, limit);
  return found.length === 0 ? undefined : found.join("\n");
}
interface KeptFigures {
  readonly launch: unknown;
  readonly figures: LimitFigures;
}

/** The figures of the launch that the arguments state, as a file. */
function limitsFile(
  trace: Trace,
  names: readonly string[] | undefined,
  { arg, shape, grid, gpu }: SnapshotArgs,
): string | undefined | { readonly error: string } {
  if (grid === undefined) return undefined;
  const read = readGrid(grid);
  if ("error" in read) return read;
  const extents = read(new Map(arg));
  if ("error" in extents) return extents;
  const launch = { args: Object.fromEntries(arg), shapes: Object.fromEntries(shape), grid: extents, ...(gpu === undefined ? {} : { gpu }) };
  const found = limitsOf(trace, { ...launch, names });
  if (found.kind === "error") return { error: found.message! };
  return `${JSON.stringify({ launch: { ...launch, gpu: found.gpu.name }, figures: figuresOf(found) }, undefined, 1)}\n`;
}

interface Made {
  readonly trace: Trace;
  readonly limits: string | undefined;
}
function traceFor(input: string, args: SnapshotArgs, io: Io): Made | { readonly error: string } {
  // Snapshots are the same on every machine.
  const python = { ...args.rest.python, tritonLib: args.rest.python.tritonLib ?? NO_TRITON };
  const read = readInput(input, io, { ...args.rest, python, debugInfo: false });
  if (read.kind === "error") return { error: (read.rendered ?? read.message ?? "does not parse").trimEnd() };
  // Inputs that are not compiled may be among them.
  const unused = withoutEffect(read, input, args.rest, COMPILE_NAMES);
  if (unused !== undefined) return { error: unused };
  noteUseless(read, args.rest, io, { from: `tt-step: ${input}`, table: TT_STEP.commands.snapshot.options });
  if (read.kind === "imported") return { trace: read.trace, limits: undefined };
  const names = namesOfInput(read);
  const range = shownRange(pipelineOf(settingsOf(read, args.rest)), args.rest);
  if ("error" in range) return range;
  const compiled = compile(read, { ...asked(range), ...everywhere(args.rest, io), artifacts: ["ptx", "executable", "instructions"] });
  if (compiled.kind === "error") return { error: compiled.message ?? compiled.rendered! };
  const { trace, ok, failed } = compiled;
  const limits = ok ? limitsFile(trace, names, args) : undefined;
  if (typeof limits === "object") return limits;
  return ok
    ? { trace, limits }
    : { error: failed?.reason === "verify" ? `the result of ${failed.flag} does not verify` : `pass '${failed?.flag}' failed` };
}

/** The first file, in the order of the passes, that is another than before. */
function firstDifference(before: SnapshotFiles, now: SnapshotFiles): { readonly where: string; readonly detail: string } | undefined {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  for (const name of names) {
    if (name === LIMITS_FILE) continue;
    const [was, is] = [before.get(name), now.get(name)];
    if (was === is) continue;
    const unkept = name === "summary.json" && was !== undefined && is !== undefined ? differingDigest(was, is) : undefined;
    if (unkept !== undefined)
      return { where: unkept, detail: `${plainDifference(was!, is!)}\n(the IR after this pass is not kept; --full keeps it)` };
    const isPass = /^\d+-.*\.mlir$/.test(name);
    if (was === undefined) return { where: name, detail: isPass ? "this pass changes the IR, and did not before" : "it is missing" };
    if (is === undefined)
      return { where: name, detail: isPass ? "this pass changed the IR, and does not any more" : "it is no part of a snapshot" };
    return { where: name, detail: difference(name, was, is) };
  }
  return undefined;
}
/** Lists the facts of the final code that changed. */
function factsText(before: SnapshotFiles, now: SnapshotFiles): string {
  const [was, is] = [before, now].map((files) => summaryIn(files.get("summary.json") ?? "")) as [SummaryText, SummaryText];
  if (!was.instructions || !is.instructions) return "";
  return differenceTable(compareFacts(was as FinalFacts, is as FinalFacts))
    .map((row) => `${row}\n`)
    .join("");
}

/** The first pass whose IR is not kept and is another now. */
function differingDigest(was: string, is: string): string | undefined {
  const [a, b] = [summaryIn(was).digests, summaryIn(is).digests];
  if (!a || !b) return undefined;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort((x, y) => rank(x) - rank(y));
  return names.find((name) => a[name] !== b[name]);
}
type SummaryText = Partial<FinalFacts & { readonly digests: Readonly<Record<string, unknown>> }>;
/** The entries of a summary that are objects, and its numbers; nothing where it was damaged. */
function summaryIn(summary: string): SummaryText {
  try {
    const { digests, instructions, mma, sharedBytes, layoutConversions } = Object(JSON.parse(summary)) as Record<string, unknown>;
    const isRecord = (value: unknown) => typeof value === "object" && value !== null;
    const isWhole = isRecord(instructions) && isRecord(mma) && typeof sharedBytes === "number" && typeof layoutConversions === "number";
    return {
      ...(isRecord(digests) ? { digests } : {}),
      ...(isWhole ? { instructions, mma, sharedBytes, layoutConversions } : {}),
    } as SummaryText;
  } catch {
    return {};
  }
}
function rank(name: string): number {
  return Number(/^(\d+)-/.exec(name)?.[1] ?? (name === "summary.json" ? 1e6 : 2e6));
}

function difference(name: string, was: string, is: string): string {
  if (!name.endsWith(".mlir")) return plainDifference(was, is);
  const { lines, steps } = importTexts(
    "",
    "texts",
    [was, is].map((text) => ({ pass: name, flag: name, stage: undefined, text })),
  );
  const [before, after] = [steps[0]!.text, steps[1]!.text];
  const alignment = align(lines, before, after, [steps[1]!.origins]);
  const text = unified({ lines, before, after }, alignment.rows);
  return text === "" ? plainDifference(was, is) : `${countsText(alignment)}\n${text.trimEnd()}`;
}
/** Lines that are on one side only, in order. */
function plainDifference(was: string, is: string): string {
  const [a, b] = [was.split("\n"), is.split("\n")];
  const [old, fresh] = [new Set(a), new Set(b)];
  const out = [
    ...a.filter((line) => !fresh.has(line)).map((line) => `-${line}`),
    ...b.filter((line) => !old.has(line)).map((line) => `+${line}`),
  ];
  return out.length > 0 ? out.slice(0, 40).join("\n") : "lines are in another order";
}

// --- reports -------------------------------------------------------------------------------------

function report(results: readonly Result[], orphans: readonly string[], { format, dir }: SnapshotArgs): string {
  switch (format) {
    case "json":
      return `${JSON.stringify({ results, orphans }, null, 1)}\n`;
    case "junit":
      return junitFile("tt-step snapshot", results.map(junitCase));
    case "github":
      return (
        results.map(annotation).join("") +
        (orphans.length === 0
          ? ""
          : `::warning title=tt-step snapshot::${dir} holds snapshots without a kernel among the inputs: ${orphans.slice(0, 20).join(", ")}${orphans.length > 20 ? `, and ${orphans.length - 20} more` : ""}\n`)
      );
    case "text":
      return textReport(results, orphans, dir);
  }
}

function textReport(results: readonly Result[], orphans: readonly string[], dir: string): string {
  let out = "";
  for (const { name, status, where, detail } of results) {
    if (status === "same") continue;
    out += `${name}: ${status === "different" ? `differs first in ${where}` : status === "updated" ? `updated${where ? ` (first in ${where})` : ""}` : status === "new" ? "new, run --update" : "error"}\n`;
    if (detail !== undefined && status !== "new") out += `${detail.replace(/^/gm, "    ")}\n`;
  }
  for (const name of orphans) out += `${dir}/${name}: a snapshot without a kernel among the inputs\n`;
  const count = (status: Result["status"]) => results.filter((r) => r.status === status).length;
  const parts = (["same", "different", "new", "updated", "error"] as const).flatMap((s) => (count(s) > 0 ? [`${count(s)} ${s}`] : []));
  return `${out}${parts.join(", ") || "no kernel in this shard"}\n`;
}

function junitCase({ input: file, name, status, where, detail, ms }: Result): JunitCase {
  if (status === "same" || status === "updated") return { name, file, ms, failure: undefined };
  const message = status === "new" ? "new, run --update" : where ? `differs first in ${where}` : "error";
  return { name, file, ms, failure: { tag: status === "error" ? "error" : "failure", message, text: detail ?? "" } };
}

/** A GitHub workflow command; data and properties are escaped as it wants them. */
function annotation({ input, name, status, where, detail }: Result): string {
  if (status === "same" || status === "updated") return "";
  const data = (text: string) => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
  const property = (text: string) => data(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
  const title =
    status === "different"
      ? `${name} differs first in ${where}`
      : status === "new"
        ? `${name} has no snapshot`
        : `${name} does not compile`;
  return `::error file=${property(input)},title=${property(title)}::${data(detail ?? "")}\n`;
}
