/**
 * Gives values the layouts that forward propagation has found for them.
 * Source: lib/Dialect/TritonGPU/Transforms/RemoveLayoutConversions.cpp, LayoutPropagation::rewrite.
 */
import { buildFor, valueLocation } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp, type WhileView } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { AssertOp } from "../../../dialects/tt/ops/debug.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { encodingOf, RankedTensorType, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { Bug } from "../../../support/assert.js";
import { convertLayout } from "../distributed-op-encoding.js";
import { canFoldIntoConversion } from "./fold-into-conversion.js";
import { inferDstEncoding, inferSrcEncoding } from "./infer-encoding.js";

/** Gives every value in `layouts` of a function its layout; converts where a user wants another. Returns how many ops changed. */
export function rewriteWithLayouts(func: Operation, layouts: ReadonlyMap<Value, Attribute>, rw: Rewriter): number {
  const pass = new LayoutRewrite(layouts, rw);
  pass.rewriteRegion(func.regions[0]!);
  return pass.cleanup();
}

class LayoutRewrite {
  /** For values that got another layout: what stands for them now. */
  readonly #rewritten = new Map<Value, Value>();
  readonly #toDelete: Operation[] = [];

  constructor(
    readonly layouts: ReadonlyMap<Value, Attribute>,
    readonly rw: Rewriter,
  ) {}

  /** Level by level: an op's regions come after all ops of the region around it. */
  rewriteRegion(root: Region): void {
    const queue: Region[] = [root];
    for (const region of queue)
      for (let block = region.firstBlock; block; block = block.next)
        for (let op = block.firstOp; op; op = op.next) {
          if (this.#needsRewrite(op)) {
            this.#toDelete.push(op);
            queue.push(...this.rw.from(op, () => this.#rewriteOp(op!)).regions);
          } else if (YieldOp.is(op)) this.#rewriteYield(op);
          else if (ConditionOp.is(op)) this.#rewriteCondition(op);
          else if (ReduceOp.is(op) && !RankedTensorType.is(op.result().type)) this.#rewriteReduceToScalar(op);
          else if (AssertOp.is(op)) this.#rewriteAssert(op);
          else {
            for (const { index, value } of op.operandUses)
              if (this.layouts.has(value)) this.#setOperand(op, index, this.#valueAs(value, encodingOf(value.type)!));
            queue.push(...op.regions);
          }
        }
  }

  cleanup(): number {
    for (let i = this.#toDelete.length - 1; i >= 0; i--) this.rw.erase(this.#toDelete[i]!);
    return this.#toDelete.length;
  }

  #needsRewrite(op: Operation): boolean {
    for (const result of op.results) {
      const encoding = this.layouts.get(result);
      if (encoding !== undefined && encodingOf(result.type) !== encoding) return true;
    }
    return false;
  }

  // --- values ---------------------------------------------------------------------------------

  #rewrittenValue(value: Value): Value {
    const encoding = this.layouts.get(value);
    if (encoding === undefined || encoding === encodingOf(value.type)) return value;
    const rewritten = this.#rewritten.get(value);
    if (!rewritten) throw new Bug("a value is used before it is rewritten");
    return rewritten;
  }
  /** The value in that layout, converted right after it is defined if need be. */
  #valueAs(value: Value, encoding: Attribute): Value {
    if (!RankedTensorType.is(value.type)) return value;
    const { rw } = this;
    const rewritten = this.#rewrittenValue(value);
    if (encodingOf(rewritten.type) === encoding) return rewritten;
    const convert = (): Value =>
      rw.preserving(() => {
        rw.builder.setAfterValue(rewritten);
        return convertLayout(rw, rewritten, encoding, valueLocation(value));
      });
    // For an op that stays as it is, the conversion comes from what makes the value.
    return rw.ctx.origin === undefined ? rw.from(rewritten.definingOp ?? rewritten.argOwner!.parentOp!, convert) : convert();
  }
  /** The type with the layout picked for the value. */
  #typeOf(value: Value): Type {
    const encoding = this.layouts.get(value);
    return encoding === undefined ? value.type : withEncoding(value.type as TensorType, encoding);
  }
  #pickedAs(value: Value, like: Value): Value {
    const encoding = this.layouts.get(like);
    return encoding === undefined ? value : this.#valueAs(value, encoding);
  }
  /** A value that keeps its type is replaced at once, the others use by use. */
  #mapAll(from: readonly Value[], to: readonly Value[]): void {
    from.forEach((value, i) => {
      const by = to[i]!;
      if (value.type === by.type) this.rw.replaceAllUses(value, by);
      else this.#rewritten.set(value, by);
    });
  }
  #setOperand(op: Operation, index: number, value: Value): void {
    const use = op.operandUses[index]!;
    if (use.value !== value) return void this.rw.setOperand(op, index, value);
    // Upstream links the use anew: it becomes the newest one.
    use.unlink();
    use.link();
  }

  // --- ops ------------------------------------------------------------------------------------

  #rewriteOp(op: Operation): Operation {
    const { rw } = this;
    rw.setBefore(op);
    const forOp = ForOp.match(op);
    if (forOp) return this.#rewriteFor(forOp);
    const whileOp = WhileOp.match(op);
    if (whileOp) return this.#rewriteWhile(whileOp);
    const ifOp = IfOp.match(op);
    if (ifOp) return this.#rewriteIf(ifOp);

    const result = op.result();
    const encoding = this.layouts.get(result)!;
    const convert = ConvertLayoutOp.match(op);
    if (convert) {
      const { src } = convert;
      const source = this.#valueAs(src, this.layouts.get(src) ?? encodingOf(src.type)!);
      return this.#converted(result, source, encoding);
    }
    if (canFoldIntoConversion(op, encoding)) return this.#converted(result, rw.clone(op).result(), encoding);
    const copy = this.#cloneElementwise(op, encoding);
    this.#mapAll(op.results, copy.results);
    return copy;
  }

  #converted(result: Value, source: Value, encoding: Attribute): Operation {
    // A conversion to the same type is made too, for the cleanup to fold.
    const converted = this.rw.value(
      ConvertLayoutOp,
      { src: source },
      { loc: valueLocation(result), types: [withEncoding(result.type as TensorType, encoding)] },
    );
    this.#rewritten.set(result, converted);
    return converted.definingOp!;
  }

  #cloneElementwise(op: Operation, encoding: Attribute): Operation {
    const copy = this.rw.clone(op);
    if (op.numOperands > 0) {
      let wanted: Attribute | undefined;
      for (const operand of op.operands) {
        const candidate = encodingOf(this.#rewrittenValue(operand).type);
        if (candidate && inferDstEncoding(op, candidate) === encoding) {
          wanted = candidate;
          break;
        }
      }
      wanted ??= inferSrcEncoding(op, encoding);
      if (!wanted) throw new Bug(`no layout of the operands of ${op.name} gives the one picked`);
      const operands = op.operands;
      for (let i = 0; i < operands.length; i++) this.#setOperand(copy, i, this.#valueAs(operands[i]!, wanted));
    }
    op.results.forEach((result, i) => {
      if (RankedTensorType.is(result.type)) copy.setResultType(i, withEncoding(result.type, encoding));
    });
    return copy;
  }

  #rewriteFor({ op, lowerBound, upperBound, step, initArgs, region }: ForView): Operation {
    const { rw } = this;
    const inits = initArgs.map((init, i) => this.#pickedAs(init, op.result(i)));
    const made = buildFor(rw.builder, { lowerBound, upperBound, step, initArgs: inits }, { loc: op.locRef });
    made.op.setAttrs(op.attrs);
    const [oldBody, newBody] = [region.firstBlock!, made.region.firstBlock!];
    newBody.takeOpsOf(oldBody);
    this.#mapAll(op.results, made.op.results);
    this.#mapAll(oldBody.args, newBody.args);
    return made.op;
  }

  #rewriteWhile(loop: WhileView): Operation {
    const { op, before, after } = loop;
    const { rw } = this;
    const loc = op.locRef;
    const inits = op.operands.map((init, i) => this.#pickedAs(init, before.firstBlock!.args[i]!));
    const types = op.results.map((result) => this.#typeOf(result));
    const regions = [inits.map((init) => init.type), types].map((argTypes, i) => {
      const region = new Region(rw.ctx, null, i);
      const block = region.addBlock();
      for (const type of argTypes) block.addArgument(type, loc);
      return region;
    });
    const made = rw.create(WhileOp, { inits, before: regions[0]!, after: regions[1]! }, { loc, types });
    const bodies = [before, after].map((region) => region.firstBlock!);
    const newBodies = [made.before, made.after].map((region) => region.firstBlock!);
    newBodies.forEach((body, i) => {
      body.takeOpsOf(bodies[i]!);
    });
    this.#mapAll(op.results, made.op.results);
    bodies.forEach((body, i) => {
      this.#mapAll(body.args, newBodies[i]!.args);
    });
    return made.op;
  }

  #rewriteIf({ op, condition, thenRegion, elseRegion }: IfView): Operation {
    const types = op.results.map((result) => this.#typeOf(result));
    const made = this.rw.create(IfOp, { condition, thenRegion, elseRegion }, { loc: op.locRef, types });
    this.#mapAll(op.results, made.op.results);
    return made.op;
  }

  // --- ops whose operands must fit something else ---------------------------------------------

  #rewriteYield(op: Operation): void {
    const parent = op.parentOp!;
    const targets = WhileOp.is(parent) ? parent.regions[0]!.firstBlock!.args : ForOp.is(parent) || IfOp.is(parent) ? parent.results : [];
    op.operands.forEach((operand, i) => {
      const type = (targets[i] ?? operand).type;
      if (RankedTensorType.is(type) && type.params.encoding) this.#setOperand(op, i, this.#valueAs(operand, type.params.encoding));
    });
  }
  #rewriteCondition(op: Operation): void {
    op.operands.forEach((operand, i) => {
      const encoding = i === 0 ? undefined : encodingOf(op.parentOp!.result(i - 1).type);
      if (encoding) this.#setOperand(op, i, this.#valueAs(operand, encoding));
    });
  }
  /** A scalar result does not depend on the layout: all operands get that of the first whose layout was found. */
  #rewriteReduceToScalar(op: Operation): void {
    const first = op.operands.find((operand) => this.layouts.has(operand));
    if (!first) return;
    const encoding = this.layouts.get(first)!;
    op.operands.forEach((operand, i) => {
      this.#setOperand(op, i, this.#valueAs(operand, encoding));
    });
  }
  #rewriteAssert(op: Operation): void {
    const condition = op.operand(0);
    const encoding = this.layouts.get(condition);
    if (encoding) this.#setOperand(op, 0, this.#valueAs(condition, encoding));
  }
}
