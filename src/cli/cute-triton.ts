/** `cute-layout --from-triton ATTR -t TYPE`: reads a distributed encoding and gives its CuTe thread-value layout. */
import { SyntaxProblem } from "../cute/parse-term.js";
import { printTerm } from "../cute/print-term.js";
import { linearAttribute, type TvBases, tvOfBases } from "../cute/triton.js";
import type { DistributedParams, EncodingParams } from "../layout/encoding-params.js";
import { isDistributed } from "../layout/encoding-params.js";
import { defaultCga } from "../layout/encodings/cga.js";
import { type Bases, LinearLayout } from "../layout/linear-layout.js";
import { standardOutDimNames } from "../layout/standard-dims.js";
import { toLinearLayout } from "../layout/to-linear-layout.js";

type Field = number | boolean | readonly Field[] | EncodingParams;

/** The lines for an encoding and a tensor type. */
export function fromTriton(attribute: string, tensorType: string): string {
  const shape = shapeOf(tensorType);
  const params = readEncoding(attribute);
  if (!isDistributed(params)) throw new SyntaxProblem(0, "only distributed encodings have threads and values");
  const linear = toLinearLayout(shape, params);
  const names = standardOutDimNames(shape.length);
  const basesOf = (dim: string): number[][] => {
    if (!linear.inDimNames.includes(dim)) return [];
    const size = linear.getInDimSize(dim);
    return Array.from({ length: Math.log2(size) }, (_, i) => {
      const image = linear.apply({ [dim]: 1 << i });
      return names.map((n) => image[n] ?? 0);
    });
  };
  if (basesOf("block").some((b) => b.some((x) => x !== 0)))
    throw new SyntaxProblem(0, "a CuTe thread-value layout has no blocks: use a single CTA");
  const bases: TvBases = { register: basesOf("register"), lane: basesOf("lane"), warp: basesOf("warp") };
  const tv = tvOfBases(bases, shape);
  return `${linearAttribute(bases)}\nLayout_TV: ${typeof tv === "string" ? tv : printTerm(tv)}\n`;
}

/** `tensor<16x8xf16>` or `16x8`. */
export function shapeOf(text: string): number[] {
  const m = /^\s*(?:tensor<)?((?:\d+x)*\d+)(?:x[^\d][^>]*)?>?\s*$/.exec(text);
  if (!m) throw new SyntaxProblem(0, `expected a tensor type like tensor<16x16xf16>, found '${text}'`);
  return m[1]!.split("x").map(Number);
}

/** Reads `#ttg.blocked<{...}>` and its like, also in the older `#triton_gpu.` spelling. */
export function readEncoding(text: string): EncodingParams {
  const reader = new EncodingReader(text);
  const params = reader.encoding();
  reader.end();
  return params;
}

/** A cursor over the text of an attribute. */
class EncodingReader {
  private at = 0;
  constructor(private readonly text: string) {}

  encoding(): EncodingParams {
    const start = this.at;
    const name = this.match(/\s*#(?:ttg|triton_gpu|ttng)\.(\w+)/y, "an encoding like #ttg.blocked<{...}>")[1]!;
    this.match(/\s*<\s*\{/y, "'<{'");
    const fields = new Map<string, Field>();
    while (!this.peek("}")) {
      const key = this.match(/\s*(\w+)\s*=/y, "a parameter name and '='")[1]!;
      fields.set(key, this.field());
      if (!this.peek("}")) this.match(/\s*,/y, "',' or '}'");
    }
    this.match(/\s*\}\s*>/y, "'}>'");
    return this.build(name, fields, start);
  }

  end(): void {
    if (this.text.slice(this.at).trim() !== "") throw new SyntaxProblem(this.at, "unexpected text after the encoding");
  }

  private build(name: string, fields: ReadonlyMap<string, Field>, start: number): EncodingParams {
    const need = (key: string): Field => {
      const v = fields.get(key);
      if (v === undefined) throw new SyntaxProblem(start, `${name} needs '${key}'`);
      return v;
    };
    const list = (key: string): number[] => (need(key) as readonly number[]).map(Number);
    const parent = (): DistributedParams => {
      const p = need("parent");
      if (typeof p !== "object" || !("kind" in p) || !isDistributed(p))
        throw new SyntaxProblem(start, `${name}: the parent is not a distributed encoding`);
      return p;
    };
    switch (name) {
      case "blocked": {
        const order = list("order");
        return {
          kind: "blocked",
          sizePerThread: list("sizePerThread"),
          threadsPerWarp: list("threadsPerWarp"),
          warpsPerCTA: list("warpsPerCTA"),
          order,
          cga: defaultCga(order.length),
        };
      }
      case "nvidia_mma": {
        const warpsPerCTA = list("warpsPerCTA");
        return {
          kind: "nvidia_mma",
          versionMajor: Number(need("versionMajor")),
          versionMinor: Number(fields.get("versionMinor") ?? 0),
          warpsPerCTA,
          cga: defaultCga(warpsPerCTA.length),
          instrShape: list("instrShape"),
        };
      }
      case "slice":
        return { kind: "slice", dim: Number(need("dim")), parent: parent() };
      case "dot_op":
        return {
          kind: "dot_op",
          opIdx: Number(need("opIdx")),
          parent: parent(),
          kWidth: Number(fields.get("kWidth") ?? 0),
        } as EncodingParams;
      case "linear": {
        const bases = ["register", "lane", "warp", "block"].map((dim) => [dim, fields.get(dim) ?? []] as const) as Bases;
        const rank = bases.flatMap(([, b]) => b)[0]?.length ?? 1;
        return { kind: "linear", layout: LinearLayout.fromBases(bases, standardOutDimNames(rank)) } as EncodingParams;
      }
      default:
        throw new SyntaxProblem(start, `no CuTe layout for #ttg.${name}: expected blocked, slice, linear, nvidia_mma or dot_op`);
    }
  }

  private field(): Field {
    if (this.peek("[")) {
      this.match(/\s*\[/y, "'['");
      const items: Field[] = [];
      while (!this.peek("]")) {
        items.push(this.field());
        if (!this.peek("]")) this.match(/\s*,/y, "',' or ']'");
      }
      this.match(/\s*\]/y, "']'");
      return items;
    }
    if (this.peek("#")) return this.encoding();
    const word = this.match(/\s*(-?\d+|true|false)/y, "a number")[1]!;
    return word === "true" || word === "false" ? word === "true" : Number(word);
  }

  private peek(token: string): boolean {
    return this.text.slice(this.at).trimStart().startsWith(token);
  }

  private match(re: RegExp, what: string): RegExpExecArray {
    re.lastIndex = this.at;
    const m = re.exec(this.text);
    if (!m) throw new SyntaxProblem(this.at, `expected ${what}`);
    this.at += m[0].length;
    return m;
  }
}
