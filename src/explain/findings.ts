/**
 * The findings about a kernel, worst first: what holds it back, as far as its Trace shows that. `tt-step --findings` prints them, and
 * the terminal UI opens on them.
 */

import { type AccessWidth, accessWidth } from "../analysis/access-width.js";
import { explainAccess } from "../analysis/explain-access.js";
import { BufferLoadOp, BufferLoadToLocalOp, BufferStoreOp } from "../dialects/amdg/ops/buffer.js";
import { ForOp } from "../dialects/scf/ops/for.js";
import { WhileOp } from "../dialects/scf/ops/while.js";
import { DotOp, DotScaledOp } from "../dialects/tt/ops/dot.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp } from "../dialects/tt/ops/memory.js";
import { encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { gpuCalled } from "../gpu/gpu.js";
import { encodingOf, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import { typeText } from "../ir/text-hook.js";
import { isMma } from "../layout/encoding-params.js";
import { type Remark, type RemarkCode, RemarkRefs } from "../pass/remark.js";
import { conversionCost } from "../passes/ttg/remove-layout-conversions/explain-conversion.js";
import { memo } from "../support/memo.js";
import type { Step, Trace } from "../trace/trace.js";
import { ratedFacts } from "./codegen/explain-facts.js";
import { amdGpuOfTrace, type CodegenFact, codegenStep, lastTtgirStep } from "./codegen-facts.js";
import { conflictReasons } from "./derivations/shared-access.js";
import { headlineOf } from "./headline.js";
import { ancestorsOf, descendantsOf, linesOfOps, locationOf, type SourcePosition } from "./provenance.js";
import { axisInfoOfModule, instructionReasons, queriesOf, type StepQueries } from "./queries.js";

/** Kinds of findings, worst first. */
export const FINDING_KINDS = [
  "shared memory",
  "spills",
  "no tensor cores",
  "narrow access",
  "loop not pipelined",
  "bank conflicts",
  "conversion",
] as const;
/** The subject of a finding: an access, a conversion, a dot, a loop, memory. */
export type FindingKind = (typeof FINDING_KINDS)[number];

/** One thing that holds a kernel back. */
export interface Finding {
  readonly kind: FindingKind;
  /** `8x ld.global.b32: 4 of 16 bytes a thread`. */
  readonly title: string;
  /** Sentences without a full stop; values have the names that they have after `step`. */
  readonly why: readonly string[];
  /** Whether it is met in every iteration of a loop. */
  readonly inLoop: boolean;
  /** Index of the step to look at: that of the pass which decided it, else the last of TTGIR. */
  readonly step: number;
  /** Id of the op, as the step has it; undefined where it is about the whole kernel. */
  readonly op: number | undefined;
  readonly source: SourcePosition | undefined;
}

/** The findings of a Trace, worst first. Spills are known where an assembler ran (`trace.artifacts.machine`). */
export const findings = memo((trace: Trace): readonly Finding[] => {
  const found = [...aboutKernel(trace), ...aboutLoops(trace), ...aboutOps(trace)];
  return found.sort((a, b) => rank(a) - rank(b) || b.cost - a.cost).map(({ cost, minor, ...finding }) => finding);
});

/** The reason why findings of a Trace, or some kinds of them, are not known. Undefined where they are complete. */
export const unseen = memo((trace: Trace): string | undefined => {
  const last = lastTtgirStep(trace);
  if (last) {
    const queries = queriesOf(trace, last);
    if ("error" in queries) return `the IR after ${last.flag} cannot be read back: ${queries.error}`;
    return amdGpuOfTrace(trace)
      ? "bank conflicts of padded conversions and of reads that transpose are not known for AMD's GPUs"
      : undefined;
  }
  return codegenStep(trace) ? "without TTGIR, only the widths of accesses are known" : "they are about TTGIR, which was not reached";
});
/** Says that there are no findings, or why it is not known. */
export function noFindings(trace: Trace): string {
  const why = unseen(trace);
  return why === undefined
    ? "no findings: no narrow accesses, bank conflicts, conversions through shared memory or missed tensor cores"
    : `no findings: ${why}`;
}

/** Where a finding leads: `after 11 tritongpu-coalesce, line 23, kernel.py:12`. */
export function placeText(trace: Trace, { step: index, op, source }: Finding): string {
  const step = trace.steps[index]!;
  const line = op === undefined ? undefined : linesOfOps(step.text).get(op);
  const python = source ? `, ${source.file.slice(source.file.lastIndexOf("/") + 1)}:${source.line}` : "";
  return `after ${step.label} ${step.flag}${line === undefined ? "" : `, line ${line + 1}`}${python}`;
}

/** A finding with what orders it among those of its kind. */
interface Found extends Finding {
  readonly cost: number;
  /** The kernel's shapes ask for it. */
  readonly minor?: boolean;
}
/** Findings about the whole kernel come first, then what a loop repeats; each by kind. */
function rank({ kind, inLoop, minor }: Found): number {
  const at = FINDING_KINDS.indexOf(kind);
  return at < 3 ? at : at + (minor ? 200 : inLoop || kind === "loop not pipelined" ? 0 : 100);
}

function aboutKernel(trace: Trace): Found[] {
  const found: Found[] = [];
  const { machine } = trace.artifacts;
  const last = trace.steps.findLast((s) => s.parent === undefined && s.known);
  if (!last) return found;
  const whole = { inLoop: false, step: last.index, op: undefined, source: undefined } as const;
  const { shared } = headlineOf(trace);
  const limit = trace.target === undefined ? undefined : gpuCalled(trace.target)?.sharedMemoryPerCta;
  if (shared !== undefined && limit !== undefined && shared > limit) {
    const step = trace.steps.find((s) => /^allocate-.*shared-memory/.test(s.flag)) ?? last;
    const why = "The launch fails; fewer stages or smaller blocks need less";
    const title = `${shared} bytes of shared memory, and a CTA of ${trace.target} has at most ${limit}`;
    found.push({ ...whole, kind: "shared memory", title, why: [why], step: step.index, cost: shared });
  }
  if (machine && machine.spilled > 0)
    found.push({
      ...whole,
      kind: "spills",
      title: `${machine.spilled} bytes a thread are spilled to ${machine.wave ? "scratch" : "local"} memory: ${machine.registers} registers are not enough`,
      why: ["More warps or smaller blocks leave fewer values to a thread"],
      cost: machine.spilled,
    });
  return found;
}

/** Loops with loads that no pass pipelined, by the remarks of the passes: the IR alone does not say that one was wanted. */
function aboutLoops(trace: Trace): Found[] {
  const found = new Map<number, Found>();
  for (const step of trace.steps)
    for (const remark of step.remarks) {
      if (remark.code !== "pipeline.declined") continue;
      const queries = readBack(trace, step);
      const loop = queries && shownIn(queries, remark.op, ForOp.name);
      if (!loop || !isInnermostWithLoads(loop) || loop.hasAttr("tt.warp_specialize")) continue;
      const [title, ...why] = queries.messageOf(remark).split(": ");
      const source = locationOf(trace, remark.op);
      const inLoop = enclosingLoop(loop) !== undefined;
      found.set(remark.op, {
        kind: "loop not pipelined",
        title: title!,
        why: [why.join(": ")],
        inLoop,
        step: step.index,
        op: queries.idOf(loop),
        source,
        cost: 0,
      });
    }
  return [...found.values()];
}
function isInnermostWithLoads(loop: Operation): boolean {
  let loads = false;
  let loops = 0;
  loop.walk((op) => {
    if (LoadOp.is(op) && RankedTensorType.is(op.result(0).type)) loads = true;
    if (isLoop(op)) loops++;
  });
  return loads && loops === 1;
}
const isLoop = (op: Operation): boolean => ForOp.is(op) || WhileOp.is(op);
function enclosingLoop(op: Operation): Operation | undefined {
  for (let at = op.parentOp; at; at = at.parentOp) if (isLoop(at)) return at;
  return undefined;
}

/** Accesses, dots and conversions of the last TTGIR. */
function aboutOps(trace: Trace): Found[] {
  const last = lastTtgirStep(trace);
  // Passes that change nothing decide nothing.
  const step = last && trace.steps.find((s) => s.parent === undefined && s.text === last.text);
  const queries = step && readBack(trace, step);
  if (!queries) return ratedFacts(trace).flatMap((fact) => narrowInstruction(trace, fact) ?? []);
  const facts = new Map<number, CodegenFact[]>();
  for (const fact of ratedFacts(trace)) if (fact.op !== undefined) facts.set(fact.op, [...(facts.get(fact.op) ?? []), fact]);
  const found: Found[] = [];
  queries.ir.module.walk((op) => {
    const id = queries.idOf(op);
    if (id === undefined) return;
    const own = facts.get(id) ?? [];
    for (const one of [
      narrowAccess(queries, op, own),
      unusedTensorCores(queries, op),
      conflict(queries, op, own),
      conversion(queries, op, own),
    ])
      if (one) found.push(one);
  });
  return found;
}

type About = Pick<Found, "kind" | "title" | "cost"> & { readonly minor?: boolean };
/** A finding at the op's place in the step of the pass that decided it, where that is known. */
function at(queries: StepQueries, op: Operation, decided: Place | undefined, about: About, more: readonly string[] = []): Found {
  const id = queries.idOf(op)!;
  const place = decided ?? laidOut(queries, op);
  const inLoop = enclosingLoop(op) !== undefined;
  return {
    ...about,
    inLoop,
    why: [...(decided?.why ?? instructionReasons(place.queries, place.op)), ...more],
    step: place.queries.step.index,
    op: place.queries.idOf(place.op) ?? id,
    source: locationOf(queries.trace, id),
  };
}

/** An op as a step has it, and why that step's pass did what it did. */
interface Place {
  readonly queries: StepQueries;
  readonly op: Operation;
  readonly why?: readonly string[];
}
/** Where a pass said last, with this code, why an op is as it is. */
function decision(queries: StepQueries, op: Operation, code: RemarkCode): (Place & { readonly remark: Remark }) | undefined {
  const { trace } = queries;
  const family = new Set(ancestorsOf(trace, queries.idOf(op)!));
  for (const step of trace.steps.toReversed())
    for (const remark of step.remarks) {
      if (remark.code !== code || !family.has(remark.op)) continue;
      const there = readBack(trace, step);
      const found = there && shownIn(there, remark.op, op.name);
      if (found) return { queries: there, op: found, remark };
    }
  return undefined;
}
/**
 * The pass from which on an op has the types, and so the layouts, that it has after this step; this step where the source has them
 * already. A log has no remarks, and not everything has one.
 */
function laidOut(queries: StepQueries, op: Operation): Place {
  const { trace, step: last } = queries;
  const family = ancestorsOf(trace, queries.idOf(op)!);
  const types = typesOf(op);
  let place: Place = { queries, op };
  for (const step of trace.steps.slice(0, last.index).toReversed()) {
    if (step.parent !== undefined || !step.known) continue;
    const there = readBack(trace, step);
    const same = there && family.flatMap((id) => there.opOf(id) ?? []).find((o) => o.name === op.name && typesOf(o) === types);
    if (!same) return place;
    place = { queries: there, op: same };
  }
  return { queries, op };
}
const typesOf = (op: Operation): string => [...op.operands, ...op.results].map(({ type }) => typeText(type)).join();
/** The op of a remark as the step has it: itself, or one of that name that the pass made of it. */
function shownIn(queries: StepQueries, id: number, name: string): Operation | undefined {
  const ops = descendantsOf(queries.trace, id).flatMap((descendant) => queries.opOf(descendant) ?? []);
  return ops.find((op) => op.name === name) ?? ops[0];
}

const WIDEST = 16;

function narrowAccess(queries: StepQueries, op: Operation, facts: readonly CodegenFact[]): Found | undefined {
  if (AtomicCASOp.is(op) || AtomicRMWOp.is(op)) return undefined;
  const width = widthOf(queries, op);
  if (!width && BUFFER_ACCESSES.has(op.def)) return narrowBufferAccess(queries, op, facts);
  if (!width || width.bits >= 8 * WIDEST || !RankedTensorType.is(width.ptr.type)) return undefined;
  const { limitedBy } = explainAccess(width, axisInfoOfModule(queries.ir.module), new RemarkRefs(op)).fields;
  const [first] = facts.filter((f) => f.kind === "load" || f.kind === "store" || f.kind === "async-copy");
  // The instructions of an imported log, where an old op of its mask is not analysed.
  if (first && first.bytesPerThread >= WIDEST) return undefined;
  const bytes = width.bits / 8;
  const instruction = first ? `${first.count}x ${first.instruction}` : op.name;
  // The layout is coalesce's, where no later pass has made the access another.
  const chosen = decision(queries, op, "coalesce.access");
  const isSame = chosen && widthOf(chosen.queries, chosen.op)?.bits === width.bits;
  const same = isSame ? { ...chosen, why: [chosen.queries.messageOf(chosen.remark)] } : undefined;
  return at(queries, op, same, {
    kind: "narrow access",
    title: `${instruction}: ${bytes} of ${WIDEST} bytes a thread`,
    cost: ((first?.count ?? 1) * WIDEST) / bytes,
    minor: isTooSmall(width, limitedBy),
  });
}

const BUFFER_ACCESSES: ReadonlySet<OpDef> = new Set<OpDef>([BufferLoadOp, BufferStoreOp, BufferLoadToLocalOp]);
/** An access by an AMD buffer's descriptor: its instructions tell the width, and the load or store by pointers that it was the reason. */
function narrowBufferAccess(queries: StepQueries, op: Operation, facts: readonly CodegenFact[]): Found | undefined {
  const first = facts.find(({ space, bytesPerThread: bytes }) => space === "global" && bytes > 0 && bytes < WIDEST);
  if (!first) return undefined;
  const { count, instruction, bytesPerThread: bytes } = first;
  const chosen = decision(queries, op, "coalesce.access");
  const width = chosen && widthOf(chosen.queries, chosen.op);
  const decided = width?.bits === 8 * bytes ? { ...chosen!, why: [chosen!.queries.messageOf(chosen!.remark)] } : undefined;
  const title = `${count}x ${instruction}: ${bytes} of ${WIDEST} bytes a thread`;
  const limitedBy = decided?.remark.fields["limitedBy"];
  const minor = width !== undefined && isTooSmall(width, limitedBy);
  return at(queries, op, decided, { kind: "narrow access", title, cost: (count * WIDEST) / bytes, minor });
}
/** Whether the tensor has no more elements than that. */
function isTooSmall({ ptr, elements, dim }: AccessWidth, limitedBy: unknown): boolean {
  const shape = (ptr.type as TensorType).params.shape;
  const only = (by: string) => Array.isArray(limitedBy) && limitedBy.length === 1 && limitedBy[0] === by;
  return only("scalar") || (only("layout") && shape.every((size, d) => d === dim || size === 1) && elements < 16);
}
function widthOf(queries: StepQueries, op: Operation): AccessWidth | undefined {
  return accessWidth(op, axisInfoOfModule(queries.ir.module));
}

/** Without TTGIR the instruction is all there is. */
function narrowInstruction(trace: Trace, fact: CodegenFact): Found | undefined {
  const { kind, space, bytesPerThread: bytes, count, instruction, step, source } = fact;
  if ((kind !== "load" && kind !== "store" && kind !== "async-copy") || space !== "global" || bytes === 0 || bytes >= WIDEST)
    return undefined;
  const line = fact.lines[0]!;
  const op = trace.steps[step]!.text.ops[line] || undefined;
  const title = `${count}x ${instruction}: ${bytes} of ${WIDEST} bytes a thread`;
  return { kind: "narrow access", title, why: [], inLoop: false, step, op, source, cost: (count * WIDEST) / bytes };
}

function unusedTensorCores(queries: StepQueries, op: Operation): Found | undefined {
  const dot = DotOp.match(op) ?? DotScaledOp.match(op);
  const encoding = dot && encodingOf(dot.d.type);
  const params = encoding && encodingParams(encoding);
  if (!dot || !params || isMma(params)) return undefined;
  const declined = decision(queries, op, "matmul.declined");
  const shape = (dot.d.type as TensorType).params.shape.join("x");
  const why = declined && [declined.queries.messageOf(declined.remark)];
  const amd = amdGpuOfTrace(queries.trace);
  const title = amd
    ? `${op.name} of ${shape} gets no ${amd.mfma ? "MFMA" : "WMMA"} instruction`
    : `${op.name} of ${shape} is computed by fma instructions, not on tensor cores`;
  return at(queries, op, declined && { ...declined, why: why! }, { kind: "no tensor cores", title, cost: 0 });
}

function conflict(queries: StepQueries, op: Operation, facts: readonly CodegenFact[]): Found | undefined {
  const worst = facts
    .filter(({ wavefronts }) => wavefronts && wavefronts.needed > wavefronts.least)
    .sort((a, b) => excess(b) - excess(a))[0];
  if (!worst) return undefined;
  const { needed, least } = worst.wavefronts!;
  const [memory, threads] = amdGpuOfTrace(queries.trace) ? ["LDS", "wave"] : ["shared memory", "warp"];
  const title = `${worst.count}x ${worst.instruction}: ${needed} rounds of ${memory} a ${threads} where ${least} would do`;
  return at(queries, op, undefined, { kind: "bank conflicts", title, cost: excess(worst) }, conflictReasons(queries.trace, op, worst));
}
const excess = ({ wavefronts, count }: CodegenFact): number => (wavefronts!.needed / wavefronts!.least) * count;

function conversion(queries: StepQueries, op: Operation, facts: readonly CodegenFact[]): Found | undefined {
  const convert = ConvertLayoutOp.match(op);
  if (!convert) return undefined;
  const { means, bytes } = conversionCost(convert);
  if (means !== "shared memory") return undefined;
  const barriers = facts.filter(({ kind }) => kind === "barrier").reduce((n, { count }) => n + count, 0);
  const title = `ttg.convert_layout through ${bytes} bytes of shared memory${barriers > 0 ? `, with ${barriers} barrier${barriers === 1 ? "" : "s"}` : ""}`;
  const kept = decision(queries, op, "layout.conversion");
  return at(queries, op, kept, { kind: "conversion", title, cost: bytes });
}

const readBack = memo((trace: Trace, step: Step): StepQueries | undefined => {
  const queries = queriesOf(trace, step);
  return "error" in queries ? undefined : queries;
}, 8);
