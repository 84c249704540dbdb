/**
 * Reads the attribute texts of fixtures into EncodingParams. For tests only: it trusts its input; the real parser, with its
 * diagnostics and older spellings, comes with the IR.
 */
import type { DistributedParams, EncodingParams } from "./encoding-params.js";
import { isDistributed } from "./encoding-params.js";
import { defaultCga } from "./encodings/cga.js";
import { paddedIdentity } from "./encodings/padded-shared.js";
import { type Bases, LinearLayout } from "./linear-layout.js";
import { standardOutDimNames } from "./standard-dims.js";

type Value = number | boolean | readonly Value[] | EncodingParams;
type Fields = ReadonlyMap<string, Value>;

/** Reads `#ttg.blocked<{...}>` and its like. */
export function readAttribute(text: string): EncodingParams {
  return new Reader(text).attribute();
}

/** As `readAttribute`, of a distributed encoding. */
export function readDistributed(text: string): DistributedParams {
  const params = readAttribute(text);
  if (!isDistributed(params)) throw new Error(`not a distributed encoding: ${text}`);
  return params;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  attribute(): EncodingParams {
    const kind = this.match(/#(?:ttg|ttng)\.(\w+)/y);
    const pads: [number, number][] = [];
    this.match(/</y);
    if (this.peek("[")) {
      this.match(/\[/y);
      while (!this.peek("]")) {
        const [interval, padding] = this.match(/\d+:\+\d+/y).split(":+");
        pads.push([Number(interval), Number(padding)]);
        if (this.peek(",")) this.match(/,/y);
      }
      this.match(/\]/y);
    }
    const fields = new Map<string, Value>();
    if (this.peek("{")) {
      this.match(/\{/y);
      this.fields(fields, "}");
      this.match(/\}/y);
      if (this.peek(",")) this.match(/,/y);
    }
    this.fields(fields, ">");
    this.match(/>/y);
    return build(kind, fields, pads);
  }

  private fields(fields: Map<string, Value>, end: string): void {
    while (!this.peek(end)) {
      const key = this.match(/\w+/y);
      this.match(/=/y);
      fields.set(key, this.value());
      if (this.peek(",")) this.match(/,/y);
    }
  }

  private value(): Value {
    if (this.peek("#")) return this.attribute();
    if (!this.peek("[")) {
      const word = this.match(/\w+/y);
      return word === "true" ? true : word === "false" ? false : Number(word);
    }
    const items: Value[] = [];
    this.match(/\[/y);
    while (!this.peek("]")) {
      items.push(this.value());
      if (this.peek(",")) this.match(/,/y);
    }
    this.match(/\]/y);
    return items;
  }

  private peek(token: string): boolean {
    while (this.text[this.at] === " ") this.at++;
    return this.text.startsWith(token, this.at);
  }

  private match(pattern: RegExp): string {
    while (this.text[this.at] === " ") this.at++;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) throw new Error(`expected ${pattern} at ${this.at} of ${this.text}`);
    this.at = pattern.lastIndex;
    return found[1] ?? found[0];
  }
}

function build(kind: string, fields: Fields, pads: readonly (readonly [number, number])[]): EncodingParams {
  const int = (key: string, otherwise = 0): number => (fields.get(key) as number | undefined) ?? otherwise;
  const flag = (key: string): boolean => fields.get(key) === true;
  const ints = (key: string): number[] => (fields.get(key) as number[] | undefined) ?? [];
  const parent = (): DistributedParams => fields.get("parent") as DistributedParams;
  const layout = (dims: readonly string[]): LinearLayout => {
    const bases: Bases = dims.map((dim) => [dim, (fields.get(dim) as number[][] | undefined) ?? []]);
    const rank = bases.find(([, vectors]) => vectors.length > 0)?.[1][0]?.length ?? 1;
    return LinearLayout.fromBases(bases, standardOutDimNames(rank));
  };
  const cga = (rank: number): LinearLayout => {
    const bases = fields.get("CGALayout") as number[][] | undefined;
    return bases === undefined ? defaultCga(rank) : LinearLayout.fromBases([["block", bases]], standardOutDimNames(rank));
  };
  const warpsPerCTA = ints("warpsPerCTA");
  const order = ints("order");
  switch (kind) {
    case "blocked":
      return {
        kind,
        sizePerThread: ints("sizePerThread"),
        threadsPerWarp: ints("threadsPerWarp"),
        warpsPerCTA,
        order,
        cga: cga(order.length),
      };
    case "slice":
      return { kind, dim: int("dim"), parent: parent() };
    case "linear":
    case "generic_linear":
      return { kind, layout: layout(["register", "lane", "warp", "block"]) };
    case "nvidia_mma": {
      const [versionMajor, versionMinor] = [int("versionMajor"), int("versionMinor")];
      return { kind, versionMajor, versionMinor, warpsPerCTA, cga: cga(warpsPerCTA.length), instrShape: ints("instrShape") };
    }
    case "amd_mfma":
    case "amd_wmma": {
      const instrShape = fields.has("instrShape") ? ints("instrShape") : [16, 16, 16];
      const tilesPerWarp = fields.has("tilesPerWarp") ? ints("tilesPerWarp") : instrShape.map(() => 1);
      const common = { version: int("version"), warpsPerCTA, instrShape, tilesPerWarp, cga: cga(warpsPerCTA.length) };
      if (kind === "amd_wmma") return { kind, ...common, isTransposed: flag("isTranspose") };
      return { kind, ...common, isTransposed: flag("isTransposed"), elementBitWidth: int("elementBitWidth", 32) };
    }
    case "dot_op":
      return { kind, opIdx: int("opIdx"), parent: parent(), kWidth: int("kWidth") };
    case "swizzled_shared":
    case "amd_rotating_shared":
      return { kind, vec: int("vec"), perPhase: int("perPhase"), maxPhase: int("maxPhase"), order, cga: cga(order.length) };
    case "nvmma_shared": {
      const bases = fields.get("CGALayout") as number[][] | undefined;
      const [swizzlingByteWidth, elementBitWidth] = [int("swizzlingByteWidth"), int("elementBitWidth")];
      const [transposed, fp4Padded] = [flag("transposed"), flag("fp4Padded")];
      return { kind, swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, cga: cga(bases?.[0]?.length ?? int("rank", 2)) };
    }
    case "shared_linear":
      return { kind, layout: layout(["offset", "block"]), alignment: int("alignment") };
    case "padded_shared": {
      const shape = ints("shape");
      const linearComponent = fields.has("order") ? paddedIdentity(order, shape, defaultCga(shape.length)) : layout(["offset", "block"]);
      return { kind, intervals: pads.map(([interval]) => interval), paddings: pads.map(([, padding]) => padding), linearComponent };
    }
    case "tensor_memory_encoding": {
      const [blockM, blockN, colStride] = [int("blockM"), int("blockN"), int("colStride")];
      return { kind, blockM, blockN, colStride, CTASplitM: int("CTASplitM", 1), CTASplitN: int("CTASplitN", 1), twoCTAs: flag("twoCTAs") };
    }
    case "tensor_memory_scales_encoding":
      return { kind, CTASplitM: int("CTASplitM", 1), CTASplitN: int("CTASplitN", 1) };
    default:
      throw new Error(`unknown encoding ${kind}`);
  }
}
