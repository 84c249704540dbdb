/** `tensormap`: maps that the kernel makes itself, in shared memory, and copies to where copies take them from. */
import { access, addressing } from "../access.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { TENSOR_MAP_BYTES, TENSOR_MAP_FIELDS, type TensorMapField } from "../tensor-map.js";
import { spaceOf } from "./memory.js";

export const tensormap: Rule = (c) => {
  if (c.has("replace")) return replace(c);
  if (c.has("cp_fenceproxy")) return copyFenced(c);
  throw new NotModelled(c.mnemonic);
};

/** `tensormap.replace.tile.FIELD.SPACE.b1024.TYPE [map], {ordinal,} value` */
function replace(c: InstructionCompiler): void {
  const name = Object.keys(TENSOR_MAP_FIELDS).find((f) => c.has(f)) as TensorMapField | undefined;
  if (name === undefined) throw new NotModelled("the field");
  const field = TENSOR_MAP_FIELDS[name];
  const ordinal = field.count > 1 ? c.immediate(c.operand(1)) : 0;
  if (ordinal < 0 || ordinal >= field.count) throw new NotModelled(`ordinal ${ordinal} of ${name}`);
  const wide = field.bytes === 8;
  const value = c.source(c.op.operands.at(-1)!, wide ? 64 : 32);
  const where = addressing(c, c.operand(0));
  const at = field.at + ordinal * field.bytes;
  const space = spaceOf(c);
  if (space === "param") throw new NotModelled("maps in parameters");
  // A map is asked for as a whole: fields of it are words within.
  const words = wide ? [0, 1] : [0];
  for (const word of words) {
    const row = value + word;
    const step = wide ? 2 : 1;
    c.emit(
      access(
        c,
        space,
        (warp, mask, out) => {
          where(warp, mask, out);
          for (let l = 0; l < 32; l++) out[l]! += at + 4 * word;
        },
        4,
        "write",
        ({ I }, l, { i32 }, place) => void (i32[place >> 2] = I[row + step * l]!),
      ),
    );
  }
}

/** `tensormap.cp_fenceproxy.global.shared::cta... [to], [from], 128`: a warp copies a map, which copies may then use. */
function copyFenced(c: InstructionCompiler): void {
  const [to, from] = [addressing(c, c.operand(0)), addressing(c, c.operand(1))];
  const words = new Int32Array(TENSOR_MAP_BYTES / 4);
  const offset =
    (where: typeof to, word: number): typeof to =>
    (warp, mask, out) => {
      where(warp, mask, out);
      for (let l = 0; l < 32; l++) out[l]! += 4 * word;
    };
  const steps = [...words.keys()].flatMap((i) => [
    access(c, "shared", offset(from, i), 4, "read", (_warp, _l, { i32 }, at) => void (words[i] = i32[at >> 2]!)),
    access(c, "global", offset(to, i), 4, "write", (_warp, _l, { i32 }, at) => void (i32[at >> 2] = words[i]!)),
  ]);
  c.emit((warp, mask) => {
    // All lanes name the same places.
    const first = mask & -mask;
    for (const step of steps) step(warp, first);
  });
}
