/**
 * Why a value is as it is: its layout and which pass gave it, how wide it is read or written, the conversions on its way, and
 * what passes have said of it and of the ops it comes from. Asked of any step of a Trace, an imported one included.
 */
import { accessWidth } from "../analysis/access-width.js";
import { type AxisInfo, axisInfoText } from "../analysis/axis-info.js";
import { axisInfoOf } from "../analysis/axis-info-of-values.js";
import { AXIS_PROPERTIES, findAxisLoss } from "../analysis/axis-loss.js";
import { lossWords } from "../analysis/axis-loss-words.js";
import { explainAccess, widthDerivation } from "../analysis/explain-access.js";
import { knownValues } from "../analysis/known-values.js";
import { ModuleAxisInfo } from "../analysis/module-axis-info.js";
import { PointerType } from "../dialects/tt/types.js";
import { distributedParams } from "../dialects/ttg/encodings/define-encoding.js";
import { AsyncCopyGlobalToLocalOp } from "../dialects/ttg/ops/async-copy.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { MemDescType } from "../dialects/ttg/types.js";
import { elementTypeOrSelf, encodingOf, IntegerType, RankedTensorType } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { attrText, typeText } from "../ir/text-hook.js";
import type { Value } from "../ir/value.js";
import { getOrder } from "../layout/encoding-queries.js";
import { PassError } from "../pass/pass-error.js";
import { type Remark, type RemarkRef, RemarkRefs, refText, refTo, remarkMessage } from "../pass/remark.js";
import { anchorOf, explainConversion } from "../passes/ttg/remove-layout-conversions/explain-conversion.js";
import { type StepModule, stepModule } from "../trace/step-module.js";
import type { Step, Trace } from "../trace/trace.js";
import { tmaAndWgmmaReasons } from "./codegen/tma-wgmma-reasons.js";
import { conversionMoves } from "./derivations/conversion.js";
import { dotDerivation } from "./derivations/dot.js";
import { lifeLine } from "./derivations/life-line.js";
import { pipeliningLines } from "./derivations/pipelining.js";
import { accessesOfBuffer, sharedLines } from "./derivations/shared-access.js";
import { gluonLayoutLines } from "./gluon-layout.js";
import { ancestorsOf, descendantsOf, locationOf, type SourcePosition } from "./provenance.js";

/** A piece of an explanation: a heading, and sentences. */
export interface ExplanationSection {
  readonly title:
    | "layout"
    | "axis info"
    | "access"
    | "shared memory"
    | "life line"
    | "moves"
    | "conversions"
    | "instruction shape"
    | "pipelining"
    | "passes";
  readonly lines: readonly string[];
}
/** Why a value, or an op without results, is as it is. */
export interface Explanation {
  /** `%23 = tt.load : tensor<128xf32, #blocked>`; of an op without results its name. */
  readonly subject: string;
  readonly source: SourcePosition | undefined;
  readonly sections: readonly ExplanationSection[];
}

const axesOf = new WeakMap<Operation, ModuleAxisInfo>();
/** AxisInfo of the IR of a step, computed once. */
export function axisInfoOfModule(module: Operation): ModuleAxisInfo {
  let axes = axesOf.get(module);
  if (!axes) axesOf.set(module, (axes = new ModuleAxisInfo(module)));
  return axes;
}

/** One step of a Trace, read back, with the ids that its ops have in the Trace. */
export class StepQueries {
  readonly #ids = new Map<Operation, number>();
  readonly #ops = new Map<number, Operation>();
  constructor(
    readonly trace: Trace,
    readonly step: Step,
    readonly ir: StepModule,
  ) {
    for (const [line, op] of ir.opAtLine) {
      const id = step.text.ops[line];
      if (!id) continue;
      this.#ids.set(op, id);
      this.#ops.set(id, op);
    }
  }

  idOf(op: Operation): number | undefined {
    return this.#ids.get(op);
  }
  opOf(id: number): Operation | undefined {
    return this.#ops.get(id);
  }
  /** `%23`; of an op without results its name. */
  nameOf(entity: Operation | Value): string {
    const value = "isOperation" in entity ? entity.results[0] : entity;
    const name = value && this.ir.nameOf.get(value);
    return name === undefined ? ("isOperation" in entity ? entity.name : "?") : `%${name}`;
  }
  /** The name of a remark's ref in this step. An op that no longer exists is named by its successor, or by its text. */
  nameOfRef(ref: RemarkRef): string {
    const own = this.opOf(ref.op);
    const entity = own ? entityOf(own, ref) : this.#heirOf(ref);
    if (!entity) return refText(ref);
    const name = this.nameOf(entity);
    if (name === "?") return refText(ref);
    if ("isOperation" in entity) return entity.numResults > 0 ? `${name} (${entity.name})` : name;
    return ref.kind === "argument" && !ref.text.startsWith("#") ? `${name} (${ref.text})` : name;
  }
  /** The remarks of a pass, in the names of this step. */
  messageOf(remark: Remark): string {
    return remarkMessage(remark, (ref) => this.nameOfRef(ref));
  }
  /** The successor of an op that no longer exists: an op of the same kind, or the copy that a load became. */
  #heirOf({ op, kind, text }: RemarkRef): Operation | undefined {
    if (kind === "argument") return undefined;
    const heirs = descendantsOf(this.trace, op).flatMap((id) => this.opOf(id) ?? []);
    return (
      heirs.find((heir) => heir.name === text) ?? (text === "tt.load" ? heirs.find((heir) => AsyncCopyGlobalToLocalOp.is(heir)) : undefined)
    );
  }
  /** The values of that name (`%23`, `%3#1`): more than one where functions or regions use a name again. */
  valuesCalled(name: string): Value[] {
    const bare = name.replace(/^%/, "").replace(/#0$/, "");
    return [...this.ir.nameOf].flatMap(([value, known]) => (known === bare ? [value] : []));
  }
  /** The value that has a name in the input's own text (`%offsets`), or what it has become. */
  valueNamedInInput(name: string): Value | undefined {
    const ref = this.trace.names?.get(name.replace(/^%/, ""));
    if (!ref) return undefined;
    for (const id of descendantsOf(this.trace, ref.op)) {
      const op = this.opOf(id);
      const entity = op && (entityOf(op, ref) ?? op);
      const value = entity && "isOperation" in entity ? entity.results[0] : entity;
      if (value) return value;
    }
    return undefined;
  }
  /** All names of values, with their `%`. */
  names(): string[] {
    return [...new Set(this.ir.nameOf.values())].map((name) => `%${name}`);
  }
  /** The ops at a line of the Python source: `kernel.py:12`, with any folder in front. */
  opsAtSource(file: string, line: number): Operation[] {
    return [...this.#ids].flatMap(([op, id]) => {
      const at = locationOf(this.trace, id);
      return at && at.line === line && (at.file === file || at.file.endsWith(`/${file}`)) ? [op] : [];
    });
  }
  /** The lines of a source file that ops come from. */
  linesOfSource(file: string): number[] {
    const lines = new Set<number>();
    for (const id of this.#ids.values()) {
      const at = locationOf(this.trace, id);
      if (at && (at.file === file || at.file.endsWith(`/${file}`))) lines.add(at.line);
    }
    return [...lines].sort((a, b) => a - b);
  }
}

function entityOf(op: Operation, ref: RemarkRef): Operation | Value | undefined {
  if (ref.kind === "op") return op;
  if (ref.kind === "result") return op.results[ref.index] ?? op;
  let block = op.regions[ref.region]?.firstBlock;
  for (let i = 0; i < ref.block && block; i++) block = block.next;
  return block?.args[ref.index];
}

/** A step to ask; `error` says why it cannot be read. */
export function queriesOf(trace: Trace, step: Step): StepQueries | { readonly error: string } {
  const ir = stepModule(trace, step);
  return "error" in ir ? ir : new StepQueries(trace, step, ir);
}

/** Everything known of why a value, or an op without results, is as it is. */
export function explain(queries: StepQueries, entity: Operation | Value): Explanation {
  const op = "isOperation" in entity ? entity : entity.definingOp;
  const value = "isOperation" in entity ? entity.results[0] : entity;
  const id = op && queries.idOf(op);
  const sections: ExplanationSection[] = [];
  const add = (title: ExplanationSection["title"], make: () => readonly string[]): void => {
    const lines = linesOr(make);
    if (lines.length > 0) sections.push({ title, lines });
  };
  if (value) {
    add("layout", () => layoutLines(queries, value));
    add("axis info", () => axisLines(queries, value));
  }
  const accesses = [...new Set([...(op ? [op] : []), ...(value?.users() ?? [])])];
  add("access", () => accesses.flatMap((access) => accessLines(queries, access, access !== op ? value : undefined)));
  if (value)
    add("life line", () =>
      lifeLine(value, {
        nameOf: (at) => queries.nameOf(at),
        placeOf(at) {
          const found = locationOf(queries.trace, queries.idOf(at) ?? 0);
          return found ? `${found.file.slice(found.file.lastIndexOf("/") + 1)}:${found.line}` : "";
        },
      }),
    );
  const movers = value && MemDescType.is(value.type) ? accessesOfBuffer(value) : accesses;
  add("shared memory", () =>
    movers.flatMap((mover) => {
      const at = queries.idOf(mover);
      return at === undefined ? [] : sharedLines(queries.trace, mover, at, queries.nameOf(mover));
    }),
  );
  if (op) {
    add("moves", () => conversionMoves(op));
    add("instruction shape", () => dotDerivation(op));
    add("pipelining", () => pipeliningLines(op, (at) => (at.numResults > 0 ? `${queries.nameOf(at)} ${at.name}` : at.name)));
  }
  if (value) add("conversions", () => conversionLines(queries, value));
  if (id !== undefined) add("passes", () => historyLines(queries, id));
  const subject = value ? `${queries.nameOf(value)}${op ? ` = ${op.name}` : ", an argument"} : ${typeText(value.type)}` : op!.name;
  return { subject, source: id === undefined ? undefined : locationOf(queries.trace, id), sections };
}

/** Lines, or why there are none: a log need not say what our passes know, as the number of warps. */
function linesOr(make: () => readonly string[]): readonly string[] {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof PassError)) throw error;
    return [`not known: ${error.message}`];
  }
}

function words(queries: StepQueries, about: Operation, refs: RemarkRefs, message: string): string {
  return message.replace(/\{(\d+)\}/g, (_, i: string) => {
    const entity = i === "0" ? about : refs.list[Number(i) - 1]!;
    const name = queries.nameOf(entity);
    return name === "?" ? refText(refTo(entity)) : "isOperation" in entity && entity.numResults > 0 ? `${name} (${entity.name})` : name;
  });
}

function layoutLines(queries: StepQueries, value: Value): string[] {
  const encoding = MemDescType.is(value.type) && queries.trace.language === "gluon" ? value.type.params.encoding : encodingOf(value.type);
  if (!encoding) return [];
  return [attrText(encoding), ...gluonLayoutLines(queries.trace, encoding), ...linesOr(() => layoutOrigin(queries, value))];
}
function layoutOrigin(queries: StepQueries, value: Value): string[] {
  const lines: string[] = [];
  // Gluon's layouts are the author's: no op wants one.
  const anchor = queries.trace.language === "gluon" ? undefined : anchorOf(value);
  if (anchor)
    lines.push(
      anchor === value.definingOp
        ? `it is an anchor: ${anchor.name} wants this layout`
        : `it comes from ${anchor.numResults > 0 ? `${queries.nameOf(anchor)} (${anchor.name})` : anchor.name}`,
    );
  const since = layoutSince(queries, value);
  if (since) lines.push(`it has this layout since ${since.label} ${since.flag}`);
  return lines;
}

/** The first step from which on the value, or what it came from, has the layout that it has. */
function layoutSince(at: StepQueries, value: Value): Step | undefined {
  const { trace, step } = at;
  const op = value.definingOp;
  const id = op && at.idOf(op);
  const own = encodingOf(value.type);
  if (id === undefined || !own) return undefined;
  const text = attrText(own);
  const ancestors = ancestorsOf(trace, id);
  let since = step;
  for (let i = step.index - 1; i >= 0; i--) {
    const before = trace.steps[i]!;
    if (before.parent !== undefined || before.kind === "internal") continue;
    if (before.text === since.text) {
      since = before;
      continue;
    }
    const queries = queriesOf(trace, before);
    if ("error" in queries) break;
    const found = ancestors.map((ancestor) => queries.opOf(ancestor)).find((at) => at !== undefined);
    const type = found?.results[value.index]?.type;
    const encoding = type && encodingOf(type);
    if (!encoding || attrText(encoding) !== text) break;
    since = before;
  }
  return since;
}

function axisLines(queries: StepQueries, value: Value): string[] {
  const { type } = value;
  const element = elementTypeOrSelf(type);
  if (!IntegerType.is(element) && !PointerType.is(element)) return [];
  const axes = axisInfoOfModule(queries.ir.module);
  const info = axes.get(value);
  if (!info) return [];
  const shape = RankedTensorType.is(type) ? type.params.shape : undefined;
  const lines = [axisInfoText(info)];
  const numbers = shape && knownValues(value);
  const actual = numbers && axisInfoOf(numbers, shape);
  if (actual) {
    if (!agree(actual, info)) lines.push(`the numbers themselves, by the definition: ${axisInfoText(actual)}`);
  }
  if (!shape) return lines;
  const encoding = RankedTensorType.is(type) ? distributedParams(type.params.encoding) : undefined;
  const dim = encoding ? getOrder(encoding, shape)[0]! : shape.length - 1;
  const about = value.definingOp;
  if (!about) return lines;
  const mask = bitsOf(element) === 1;
  for (const property of AXIS_PROPERTIES) {
    if ((property === "constancy") !== mask) continue;
    const needed = property === "divisibility" ? 16 : Math.min(16, shape[dim]!);
    const loss = findAxisLoss(axes, value, property, dim, needed).at(-1);
    if (!loss) continue;
    const refs = new RemarkRefs(about);
    const has = info[property][dim]!;
    const unseen = actual && actual[property][dim]! > has ? " for AxisInfo, which does not see the numbers" : "";
    lines.push(words(queries, about, refs, `${property} along dimension ${dim} is ${has}${unseen}: ${lossWords(loss, axes, refs)}`));
  }
  return lines;
}
const bitsOf = (type: ReturnType<typeof elementTypeOrSelf>): number => (IntegerType.is(type) ? type.params.width : 0);
const agree = (a: AxisInfo, b: AxisInfo): boolean => AXIS_PROPERTIES.every((property) => a[property].every((n, d) => n === b[property][d]));

function accessLines(queries: StepQueries, op: Operation, used: Value | undefined): string[] {
  const axes = axisInfoOfModule(queries.ir.module);
  const width = accessWidth(op, axes);
  if (!width || (used && used !== width.ptr && used !== width.mask && !op.operands.includes(used))) return [];
  const refs = new RemarkRefs(op);
  return [words(queries, op, refs, explainAccess(width, axes, refs).message), widthDerivation(width, axes)];
}

/** Conversions that the value is, comes from directly, or goes through. */
function conversionLines(queries: StepQueries, value: Value): string[] {
  const found = new Set<Operation>();
  for (let at: Operation | undefined = value.definingOp; at; at = at.numOperands === 1 ? at.operand(0).definingOp : undefined)
    if (ConvertLayoutOp.is(at)) found.add(at);
  const seen = new Set<Value>([value]);
  for (const at of seen)
    for (const user of at.users().reverse()) {
      if (ConvertLayoutOp.is(user)) found.add(user);
      if (user.numOperands <= 3 && seen.size < 64) for (const result of user.results) if (encodingOf(result.type)) seen.add(result);
    }
  return conversionReasons(queries, [...found]);
}
function conversionReasons(queries: StepQueries, conversions: readonly Operation[]): string[] {
  return conversions.map((op) => {
    const { message, refs } = explainConversion(ConvertLayoutOp.match(op)!);
    const named = new RemarkRefs(op);
    for (const ref of refs ?? []) named.list.push(ref);
    return words(queries, op, named, message);
  });
}

/** Why the instructions of an access or a conversion are as they are. */
export function instructionReasons(queries: StepQueries, op: Operation): readonly string[] {
  return [
    // Without its derivation, which is for those who ask about the value.
    ...accessLines(queries, op, undefined).slice(0, 1),
    ...(ConvertLayoutOp.is(op) ? conversionReasons(queries, [op]) : []),
    ...tmaAndWgmmaReasons(op),
  ];
}

/** The remarks of passes about an op, its ancestors and its descendants; a repeated remark is listed only the last time. */
function historyLines(queries: StepQueries, id: number): string[] {
  const { trace, step } = queries;
  const family = new Set([...ancestorsOf(trace, id), ...descendantsOf(trace, id)]);
  const last = new Map<string, { readonly step: Step; readonly remark: Remark }>();
  for (const at of trace.steps) {
    if (at.index > step.index && step.kind !== "source") break;
    for (const remark of at.remarks) {
      if (!family.has(remark.op)) continue;
      const key = `${remark.code}/${remark.op}`;
      last.delete(key);
      last.set(key, { step: at, remark });
    }
  }
  return [...last.values()].map(({ step: { label, flag }, remark }) => `${label} ${flag}: ${queries.messageOf(remark)} [${remark.code}]`);
}
