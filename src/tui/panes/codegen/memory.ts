/** The memory and mma tabs: one row for each kind of instruction of each op. */
import type { CodegenFact } from "../../../explain/codegen-facts.js";
import { BOLD, GOOD, line, MUTED, type Row, rowOn, type Span, type Style, style, WARNING } from "../../draw/style.js";
import { padded } from "../../draw/text-width.js";
import type { CodegenItem } from "./item.js";

const KIND_INK: Readonly<Partial<Record<CodegenFact["kind"], Style>>> = {
  load: style("c0"),
  store: style("c6"),
  atomic: style("c3"),
  "async-copy": style("c1"),
  tma: style("c1"),
  "matrix-load": style("c5"),
  "matrix-store": style("c5"),
  mma: style("c4"),
  barrier: style("muted"),
  shuffle: style("c2"),
  wait: style("muted"),
};

/** Accesses first, in program order; barriers and waits are shown too, as they order them. */
export function memoryItems(facts: readonly CodegenFact[], family: ReadonlySet<number>, width: number): readonly CodegenItem[] {
  const shown = facts.filter((f) => f.kind !== "mma");
  if (shown.length === 0) return [{ row: line("no accesses in the final code", MUTED) }];
  // Instructions come before their costs where there is no room for both.
  const rated = width >= 72 && shown.some((f) => f.sectorsPerWarp !== undefined || f.wavefronts !== undefined);
  const bytes = width < 72 ? "bytes" : "bytes/thr";
  // Lines come before guards.
  const guard = width < 44 ? 0 : Math.max(0, ...shown.map((fact) => guardText(fact).length));
  // The count before it and the line after it take 14 columns, the mark of the op under the cursor 2.
  const name = Math.max(12, Math.min(60, width - bytes.length - guard - 16 - (rated ? 20 : 0)));
  const items: CodegenItem[] = [
    { row: line(`${"".padEnd(6)}${"instruction".padEnd(name)} ${bytes} ${"guard".padEnd(guard).slice(0, guard)}  line`, MUTED) },
  ];
  for (const fact of shown) items.push(item(fact, memoryRow(fact, { name, bytes: bytes.length, guard }, rated), family));
  return items;
}

/** `columns` are the widths of the columns that differ. */
function memoryRow(fact: CodegenFact, columns: Readonly<Record<"name" | "bytes" | "guard", number>>, rated: boolean): Row {
  const bytes = fact.bytesPerThread > 0 ? String(fact.bytesPerThread) : "";
  const narrow = (fact.kind === "load" || fact.kind === "store") && fact.space === "global" && fact.bytesPerThread < 16;
  const wide = fact.space === "global" && fact.bytesPerThread >= 16;
  return [
    [`${`${fact.count}x`.padStart(5)} `, 0],
    [padded(fact.instruction, columns.name), KIND_INK[fact.kind] ?? 0],
    [` ${bytes.padStart(columns.bytes)} `, narrow ? WARNING : wide ? GOOD : 0],
    [padded(guardText(fact), columns.guard), MUTED],
    [` ${(fact.source ? String(fact.source.line) : "").padStart(5)}`, style("number")],
    [rated ? rates(fact) : "", MUTED],
  ];
}

function guardText({ predicate }: CodegenFact): string {
  if (predicate === undefined) return "";
  return predicate === "zero-fill" ? "zero-fill" : "masked";
}
function rates({ sectorsPerWarp, wavefronts }: CodegenFact): string {
  if (sectorsPerWarp !== undefined) return `  ${sectorsPerWarp} sectors/warp`;
  return wavefronts ? `  ${wavefronts.needed} rounds${wavefronts.needed > wavefronts.least ? ` (least ${wavefronts.least})` : ""}` : "";
}

export function mmaItems(facts: readonly CodegenFact[], family: ReadonlySet<number>): readonly CodegenItem[] {
  const shown = facts.filter((f) => f.mma !== undefined);
  if (shown.length === 0) return [{ row: line("no tensor core instructions in the final code", MUTED) }];
  const items: CodegenItem[] = [];
  for (const fact of shown) {
    const { family: kind, shape, types, registers, blocks = 1 } = fact.mma!;
    items.push(
      item(
        fact,
        [
          [`${`${fact.count}x`.padStart(5)} `, 0],
          [fact.instruction, style("c4", "none", BOLD)],
          [fact.source ? `  line ${fact.source.line}` : "", style("number")],
        ],
        family,
      ),
    );
    if (shape) items.push({ row: fragment("A", `${shape[0]}x${shape[2]}`, types.a, registers.a) });
    if (shape) items.push({ row: fragment("B", `${shape[2]}x${shape[1]}`, types.b, registers.b) });
    if (shape) items.push({ row: fragment("D", `${shape[0]}x${shape[1]}`, types.acc, registers.acc) });
    else items.push({ row: line(`       ${kind}: the shape is in the instruction descriptor; kind ${types.a}`, MUTED) });
    if (shape)
      items.push({
        row: line(`       ${2 * shape[0] * shape[1] * shape[2] * blocks} FLOPs an instruction${PER[kind]}`, MUTED),
      });
  }
  return items;
}
const PER = { mma: " and warp", wgmma: " and warp group", tcgen05: "", mfma: " and wave", wmma: " and wave" } as const;
function fragment(name: string, shape: string, type: string, registers: number): Row {
  return [
    [`       ${name} `, style("accent", "none", BOLD)],
    [`${shape} ${type}`.padEnd(16), style("type")],
    [registers > 0 ? `${registers} registers a thread` : "from shared or tensor memory", MUTED],
  ];
}

/** Facts of the op under the diff's cursor stand out. */
function item(fact: CodegenFact, row: Row, family: ReadonlySet<number>): CodegenItem {
  const lit = fact.op !== undefined && family.has(fact.op);
  const shown: readonly Span[] = lit ? [...rowOn(row, "movedLine"), [" <", style("moved", "none", BOLD)]] : row;
  return fact.op === undefined || fact.opStep === undefined
    ? { row: shown, go: { to: "codegen", line: fact.lines[0]! } }
    : { row: shown, go: { to: "op", step: fact.opStep, op: fact.op } };
}
