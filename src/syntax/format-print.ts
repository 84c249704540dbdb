/** Prints an op by its compiled assembly format. */
import type { OpPrinter } from "../ir/asm.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { intsOf, TypeAttr } from "../ir/builtin-attrs.js";
import { groupRange, type OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import { type Directive, directiveOf, type FormatProgram, programOf, type Slot, strippedKind } from "./format-program.js";

export function printWithFormat(p: OpPrinter, op: Operation): void {
  const program = programOf(op.def);
  const { directives } = program;
  for (let i = 0; i < directives.length; i++) printDirective(p, op, directives[i]!, program);
}

function printDirective(p: OpPrinter, op: Operation, d: Directive, program: FormatProgram): void {
  switch (d.kind) {
    case "literal":
      p.write(d.space ? ` ${d.text}` : d.text);
      return;
    case "whitespace":
      if (d.text === "\n") p.newline();
      else if (d.text) p.write(d.text);
      return;
    case "slot":
      if (d.space) p.write(" ");
      printSlot(p, op, d.slot, d.qualified);
      return;
    case "type":
      p.write(d.space ? ` ${typesText(p, op, d.slot, d.qualified)}` : typesText(p, op, d.slot, d.qualified));
      return;
    case "functional-type":
      p.write(`${d.space ? " " : ""}${p.functionType(slotTypes(op, d.inputs), slotTypes(op, d.results))}`);
      return;
    case "attr-dict": {
      if (op.attrs.params.names.length === 0) return;
      const elided = elidedAttrs(op, program);
      if (d.keyword) p.optAttrDictWithKeyword(op, elided);
      else p.optAttrDict(op, elided);
      return;
    }
    case "custom":
      if (d.space) p.write(" ");
      directiveOf(op.def, d).print(p, op, d.argNames);
      return;
    case "optional": {
      const present = anchorPresent(op, d.anchor) !== d.inverted;
      for (const inner of present ? d.then : d.otherwise) printDirective(p, op, inner, program);
      return;
    }
    case "oilist":
      for (const clause of d.clauses) {
        if (!clause.body.some((inner) => inner.kind !== "literal" && anchorPresent(op, inner))) continue;
        p.write(` ${clause.keyword}`);
        const unit = clause.body.length === 1 && isUnit(op.def, clause.body[0]!);
        if (!unit) for (const inner of clause.body) printDirective(p, op, inner, program);
      }
      return;
  }
}

function isUnit(def: OpDef, d: Directive): boolean {
  return d.kind === "slot" && d.slot.kind === "attr" && def.attrs[d.slot.index]!.constraint.syntax === "unit";
}
/** Whether every operand part is one operand. */
const oneEach = (op: Operation): boolean => op.def.operands.length === op.operandUses.length && !op.def.sizedOperands;

/** The values of an operand or result part. */
export function slotValues(op: Operation, slot: Slot): readonly Value[] {
  const { def } = op;
  switch (slot.kind) {
    case "operands":
      return op.operands;
    case "results":
      return op.results;
    case "operand": {
      if (oneEach(op)) return [op.operand(slot.index)];
      const { start, size } = groupRange(
        def.operands,
        slot.index,
        op.operandUses.length,
        def.sizedOperands ? intsOf(op.attr("operandSegmentSizes")) : undefined,
      );
      return op.operandUses.slice(start, start + size).map((u) => u.value);
    }
    case "result": {
      if (def.results.length === op.results.length && !def.sizedResults) return [op.results[slot.index]!];
      const { start, size } = groupRange(
        def.results,
        slot.index,
        op.results.length,
        def.sizedResults ? intsOf(op.attr("resultSegmentSizes")) : undefined,
      );
      return op.results.slice(start, start + size);
    }
    default:
      return [];
  }
}
function slotTypes(op: Operation, slot: Slot): Type[] {
  return slotValues(op, slot).map((v) => v.type);
}

/** Types of a part; a single one of a known kind goes without its `!dialect.mnemonic`. */
function typesText(p: OpPrinter, op: Operation, slot: Slot, qualified: boolean): string {
  const { def } = op;
  if (slot.kind === "operand" && oneEach(op) && (qualified || def.operands[slot.index]!.constraint.stripped === undefined))
    return p.type(op.operandUses[slot.index]!.value.type);
  if (
    slot.kind === "result" &&
    op.results.length === 1 &&
    def.results.length === 1 &&
    (qualified || def.results[slot.index]!.constraint.stripped === undefined)
  )
    return p.type(op.results[0]!.type);
  const types = slotTypes(op, slot);
  if (!qualified && types.length === 1) {
    const stripped = strippedKind(op.def, slot);
    if (stripped !== undefined && types[0]!.def.name === stripped) return p.stripped(types[0]!) || p.type(types[0]!);
  }
  return p.types(types);
}

/** The attributes that are left out when the attribute dictionary of this op is printed. */
function elidedAttrs(op: Operation, { bound, defaults }: FormatProgram): readonly string[] {
  let elided: string[] | undefined;
  for (const { name, default: dflt } of defaults) if (op.attr(name) === dflt!(op.ctx)) (elided ??= [...bound]).push(name);
  return elided ?? bound;
}

function anchorPresent(op: Operation, anchor: Directive): boolean {
  switch (anchor.kind) {
    case "slot": {
      const { slot } = anchor;
      if (slot.kind === "attr") {
        const attr = op.attr(slot.name);
        const dflt = op.def.attrs[slot.index]!.default;
        return attr !== undefined && attr !== dflt?.(op.ctx);
      }
      if (slot.kind === "region") return op.regions.slice(slot.index).some((r) => !r.empty);
      if (slot.kind === "successor") return op.successors.length > slot.index;
      return slotValues(op, slot).length > 0;
    }
    case "type":
      return slotValues(op, anchor.slot).length > 0;
    case "functional-type":
      return slotValues(op, anchor.inputs).length > 0 || slotValues(op, anchor.results).length > 0;
    case "custom": {
      const directive = directiveOf(op.def, anchor);
      if (directive.present) return directive.present(op, anchor.argNames);
      return anchor.args.some(
        (a) => a.kind === "slot" && (a.slot.kind === "attr" ? op.hasAttr(a.slot.name) : slotValues(op, a.slot).length > 0),
      );
    }
    default:
      return true;
  }
}

function printSlot(p: OpPrinter, op: Operation, slot: Slot, qualified: boolean): void {
  switch (slot.kind) {
    case "operand":
      if (oneEach(op)) return p.write(p.value(op.operandUses[slot.index]!.value));
      p.write(p.values(slotValues(op, slot)));
      return;
    case "operands":
      p.write(p.values(op.operands));
      return;
    case "attr":
      p.write(attrSlotText(p, op.def, slot.index, op.attr(slot.name) ?? op.def.attrs[slot.index]!.default?.(op.ctx), qualified));
      return;
    case "region":
    case "regions": {
      const variadic = slot.kind === "regions" || op.def.regions[slot.index]!.variadic;
      const regions = slot.kind === "regions" ? op.regions : variadic ? op.regions.slice(slot.index) : [op.regions[slot.index]!];
      regions.forEach((region, i) => {
        if (i > 0) p.write(", ");
        p.region(region);
      });
      return;
    }
    case "successor":
    case "successors": {
      const variadic = slot.kind === "successors" || op.def.successors[slot.index]!.variadic;
      const blocks = variadic ? op.successors.slice(Math.max(slot.index, 0)) : [op.successors[slot.index]!];
      p.write(blocks.map((s) => p.block(s.block)).join(", "));
      return;
    }
    default:
      throw new Bug(`${op.name}: cannot print ${slot.kind} here`);
  }
}

/** The text of a format's `$name` attribute. */
export function attrSlotText(p: OpPrinter, def: OpDef, index: number, attr: Attribute | undefined, qualified: boolean): string {
  if (!attr) return "";
  const { constraint } = def.attrs[index]!;
  if (constraint.spelling) return constraint.spelling.print(attr, p);
  if (constraint.enum) {
    const keyword = constraint.read(attr) as string;
    return /^[A-Za-z_][\w$.]*$/.test(keyword) ? keyword : p.string(keyword);
  }
  if (constraint.syntax === "symbolName") return p.symbol(constraint.read(attr) as string);
  if (TypeAttr.is(attr)) return p.type(attr.params.type);
  if (constraint.syntax === "typedArray" && !qualified) return p.stripped(attr);
  if (constraint.stripped && !qualified) return p.stripped(attr);
  return constraint.type ? p.attrWithoutType(attr) : p.attr(attr);
}
