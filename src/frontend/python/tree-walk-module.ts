/** A WebAssembly module, written here instruction by instruction, that lists the nodes of a tree (see `tree-walk.ts`). */

/** The numbers of a node: `type | field << 16`, where it starts and ends, and `depth << 2 | named << 1 | missing`. */
export const WORDS = 4;

/** What the runtime exports, and types of functions: `1>0` takes one number and answers none. */
const IMPORTS = [
  ["ts_tree_root_node_wasm", "1>0"],
  ["ts_tree_cursor_new_wasm", "1>0"],
  ["ts_tree_cursor_delete_wasm", "1>0"],
  ["ts_tree_cursor_current_node_type_id_wasm", "1>1"],
  ["ts_tree_cursor_current_field_id_wasm", "1>1"],
  ["ts_tree_cursor_start_index_wasm", "1>1"],
  ["ts_tree_cursor_end_index_wasm", "1>1"],
  ["ts_tree_cursor_current_node_is_named_wasm", "1>1"],
  ["ts_tree_cursor_current_node_is_missing_wasm", "1>1"],
  ["ts_tree_cursor_goto_first_child_wasm", "1>1"],
  ["ts_tree_cursor_goto_next_sibling_wasm", "1>1"],
  ["ts_tree_cursor_goto_parent_wasm", "1>1"],
] as const;
const TYPES = ["1>0", "1>1", "2>1"];

type Code = readonly (number | Code)[];
const I32 = 0x7f;
const VOID = 0x40;
const [TREE, OUT, DEPTH, NAMED] = [0, 1, 2, 3];

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const constant = (value: number): Code => [0x41, value];
const shifted = (value: Code, bits: number): Code => [value, constant(bits), 0x74];
const or = (a: Code, b: Code): Code => [a, b, 0x72];
const plus = (local: number, value: Code): Code => [get(local), value, 0x6a, set(local)];
/** A word of the node. */
const store = (word: number, value: Code): Code => [get(OUT), value, 0x36, 2, word * 4];
const loop = (...body: Code): Code => [0x03, VOID, body, 0x0b];
const when = (condition: Code, ...body: Code): Code => [condition, 0x04, VOID, body, 0x0b];
/** Goes on at the start of the loop that is so far out, counting `when`. */
const again = (depth: number): Code => [0x0c, depth];
const ask = (name: (typeof IMPORTS)[number][0]): Code => [get(TREE), 0x10, IMPORTS.findIndex(([known]) => known === name)];
const RETURN = 0x0f;
const DROP = 0x1a;
const UNREACHABLE = 0x00;

/** `walk(tree, out)`: writes the nodes from `out` on, and answers where the last one ends. */
const WALK: Code = [
  ask("ts_tree_root_node_wasm"),
  ask("ts_tree_cursor_new_wasm"),
  loop(
    store(0, or(ask("ts_tree_cursor_current_node_type_id_wasm"), shifted(ask("ts_tree_cursor_current_field_id_wasm"), 16))),
    store(1, ask("ts_tree_cursor_start_index_wasm")),
    store(2, ask("ts_tree_cursor_end_index_wasm")),
    [ask("ts_tree_cursor_current_node_is_named_wasm"), set(NAMED)],
    store(3, or(or(shifted(get(DEPTH), 2), shifted(get(NAMED), 1)), ask("ts_tree_cursor_current_node_is_missing_wasm"))),
    plus(OUT, constant(WORDS * 4)),
    // What is not named is a token.
    when(get(NAMED), when(ask("ts_tree_cursor_goto_first_child_wasm"), plus(DEPTH, constant(1)), again(2))),
    loop(
      when([get(DEPTH), 0x45], ask("ts_tree_cursor_delete_wasm"), get(OUT), RETURN),
      when(ask("ts_tree_cursor_goto_next_sibling_wasm"), again(2)),
      [ask("ts_tree_cursor_goto_parent_wasm"), DROP],
      plus(DEPTH, constant(0x7f)), // -1
      again(0),
    ),
  ),
  UNREACHABLE,
];

/** The module's binary form. */
export function treeWalkModule(): Uint8Array {
  const flat = (code: Code): number[] => code.flatMap((part) => (typeof part === "number" ? part : flat(part)));
  /** LEB128 */
  const size = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...size(n >> 7)]);
  const sized = (code: Code): Code => [size(flat(code).length), code];
  const list = (items: readonly Code[]): Code => [size(items.length), items];
  const name = (text: string): Code => sized([...Buffer.from(text)]);
  const section = (id: number, items: readonly Code[]): Code => [id, sized(list(items))];
  const numbers = (count: number): Code => list(Array<Code>(count).fill([I32]));
  return new Uint8Array(
    flat([
      [...Buffer.from("\0asm"), 1, 0, 0, 0],
      section(
        1,
        TYPES.map((type) => [0x60, numbers(Number(type[0])), numbers(Number(type[2]))]),
      ),
      section(2, [
        ...IMPORTS.map(([imported, type]): Code => [name("runtime"), name(imported), 0, TYPES.indexOf(type)]),
        [name("env"), name("memory"), 2, 0, 0],
      ]),
      section(3, [[TYPES.indexOf("2>1")]]),
      section(7, [[name("walk"), 0, IMPORTS.length]]),
      section(10, [sized([list([[2, I32]]), WALK, 0x0b])]),
    ]),
  );
}
