import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import { Bug } from "../support/assert.js";

/** Whether an op is legal; undefined leaves it to a rule given before, or says that nothing is known. */
export type LegalityRule = (op: Operation) => boolean | undefined;

type Named = Pick<OpDef, "name">;
type Action = "legal" | "illegal" | "dynamic";
interface Info {
  readonly action: Action;
  readonly rule: LegalityRule | undefined;
  readonly recursive: boolean;
  readonly recursiveRule: LegalityRule | undefined;
}

/**
 * The legality of ops for a dialect conversion. The op's own entry counts, then that of its dialect, then the rule for
 * unknown ops. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, ConversionTarget.
 */
export class ConversionTarget {
  readonly #ops = new Map<string, Info>();
  readonly #dialects = new Map<string, Info>();
  #unknown: LegalityRule | undefined;

  addLegalDialect(...names: readonly string[]): this {
    for (const name of names) this.#dialects.set(name, info("legal"));
    return this;
  }
  addIllegalDialect(...names: readonly string[]): this {
    for (const name of names) this.#dialects.set(name, info("illegal"));
    return this;
  }
  addDynamicallyLegalDialect(rule: LegalityRule, ...names: readonly string[]): this {
    for (const name of names) this.#dialects.set(name, info("dynamic", compose(this.#dialects.get(name)?.rule, rule)));
    return this;
  }
  addLegalOp(...ops: readonly Named[]): this {
    for (const { name } of ops) this.#ops.set(name, { ...(this.#ops.get(name) ?? info("legal")), action: "legal" });
    return this;
  }
  addIllegalOp(...ops: readonly Named[]): this {
    for (const { name } of ops) this.#ops.set(name, { ...(this.#ops.get(name) ?? info("illegal")), action: "illegal" });
    return this;
  }
  addDynamicallyLegalOp(rule: LegalityRule, ...ops: readonly Named[]): this {
    for (const { name } of ops) {
      const known = this.#ops.get(name) ?? info("dynamic");
      this.#ops.set(name, { ...known, action: "dynamic", rule: compose(known.rule, rule) });
    }
    return this;
  }
  markUnknownOpDynamicallyLegal(rule: LegalityRule): this {
    this.#unknown = compose(this.#unknown, rule);
    return this;
  }
  /** When the op is legal, so is everything in it (unless `rule` says otherwise). */
  markOpRecursivelyLegal(op: Named, rule?: LegalityRule): this {
    const known = this.#ops.get(op.name);
    if (!known || known.action === "illegal") throw new Bug(`${op.name} is not marked as legal`);
    this.#ops.set(op.name, { ...known, recursive: true, recursiveRule: rule && compose(known.recursiveRule, rule) });
    return this;
  }

  /** The action that is set for all ops of that name. */
  action(name: string): Action | undefined {
    return this.info(name, name.slice(0, name.indexOf(".")))?.action;
  }
  /** Whether the op is known to be legal, "recursive" when its insides are too. */
  isLegal(op: Operation): boolean | "recursive" {
    const known = this.info(op.def.name, op.def.dialect);
    if (!known) return false;
    const legal = known.action === "dynamic" ? known.rule!(op) === true : known.action === "legal";
    if (!legal || !known.recursive) return legal;
    return (known.recursiveRule?.(op) ?? true) ? "recursive" : true;
  }
  /** Whether the op is known to be illegal: that it is not known to be legal does not say so. */
  isIllegal(op: Operation): boolean {
    const known = this.info(op.def.name, op.def.dialect);
    if (!known) return false;
    return known.action === "dynamic" ? known.rule!(op) === false : known.action === "illegal";
  }
  private info(name: string, dialect: string): Info | undefined {
    const own = this.#ops.get(name) ?? this.#dialects.get(dialect);
    return own ?? (this.#unknown ? info("dynamic", this.#unknown) : undefined);
  }
}

function info(action: Action, rule?: LegalityRule): Info {
  return { action, rule, recursive: false, recursiveRule: undefined };
}
function compose(before: LegalityRule | undefined, rule: LegalityRule): LegalityRule {
  return before ? (op) => rule(op) ?? before(op) : rule;
}
