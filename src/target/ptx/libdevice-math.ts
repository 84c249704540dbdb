/** What the approximations are written with: short forms over nodes of one kind of float. */
import type { Floats } from "./floats.js";
import type { Node, Width } from "./graph.js";
import type { Lowering } from "./lower.js";
import type { Simplifier } from "./simplify.js";

export class LibdeviceMath {
  readonly s: Simplifier;
  readonly f: Floats;
  /** `ftz.` where subnormal floats are flushed. */
  readonly ftz: string;
  constructor(l: Lowering) {
    this.s = l.s;
    this.f = l.floats;
    this.ftz = l.options.ftz ? "ftz." : "";
  }
  make(mnemonic: string, width: Width, ...inputs: readonly Node[]): Node {
    return this.f.make(mnemonic, width, ...inputs);
  }
  number(value: number, kind = "f64"): Node {
    return this.f.constant(kind, value);
  }
  /** A predicate as an integer. */
  flag(predicate: Node): Node {
    return this.s.zext(predicate, 32);
  }
  fma(kind: string, a: Node, b: Node, c: Node): Node {
    return this.make(`fma.rn.${kind}`, a.width, a, b, c);
  }
  mul(kind: string, a: Node, b: Node): Node {
    return this.make(`mul.rn.${kind}`, a.width, a, b);
  }
  add(kind: string, a: Node, b: Node): Node {
    return this.make(`add.rn.${kind}`, a.width, a, b);
  }
  /** c[0] + x c[1] + x^2 c[2] ... */
  polynomial(kind: string, x: Node, coefficients: readonly number[]): Node {
    let sum = this.number(coefficients.at(-1)!, kind);
    for (let i = coefficients.length - 2; i >= 0; i--) sum = this.fma(kind, sum, x, this.number(coefficients[i]!, kind));
    return sum;
  }
  less(kind: string, a: Node, b: number): Node {
    return this.f.compare("olt", kind, a, this.number(b, kind));
  }
}

/** A function of libdevice. */
export type LibdeviceRule = (m: LibdeviceMath, args: readonly Node[]) => Node;
