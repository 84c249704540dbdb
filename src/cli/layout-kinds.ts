/** `--kinds`: the tree of encodings, each with its fields. */
import type { Encoding } from "../layout/encodings/encoding.js";
import { ENCODINGS } from "../layout/encodings/index.js";

type Kind = Pick<Encoding, "kind" | "dialect" | "what" | "fields">;
export interface KindGroup {
  readonly name: string;
  readonly what: string;
  readonly groups?: readonly KindGroup[];
  readonly kinds?: readonly Kind[];
}

const kindsOf = (name: Encoding["group"]): readonly Kind[] =>
  (Object.values(ENCODINGS) as readonly Encoding[])
    .filter(({ group }) => group === name)
    .map(({ kind, dialect, what, fields }) => ({ kind, dialect, what, fields }));
const group = (name: Encoding["group"], what: string, groups?: readonly KindGroup[]): KindGroup => ({
  name,
  what,
  ...(groups ? { groups } : {}),
  kinds: kindsOf(name),
});

/** Every kind of encoding. */
export const ENCODING_KINDS: readonly KindGroup[] = [
  group("distributed", "register, lane, warp, block -> element: who holds what", [
    group("matrix instructions", "the accumulator of a tensor core instruction"),
  ]),
  group("shared memory", "offset, block -> element: what lies where"),
  group("tensor memory", "row, col -> element (Blackwell); the views of this tool do not show it"),
];

/** The tree as text. */
export function kindsText(): string {
  const lines: string[] = [];
  const writeKind = ({ kind, dialect, what, fields }: Kind, indent: string): void => {
    lines.push(`${indent}#${dialect}.${kind}: ${what}`);
    const width = Math.max(...fields.map(({ name }) => name.length));
    for (const field of fields) {
      const otherwise = field.default === undefined ? "" : ` (default: ${field.default})`;
      lines.push(`${indent}  ${field.name.padEnd(width)}  ${field.type.padEnd(8)}  ${field.what}${otherwise}`);
    }
  };
  const writeGroup = (group: KindGroup, indent: string): void => {
    lines.push(`${indent}${group.name}: ${group.what}`);
    for (const kind of group.kinds ?? []) writeKind(kind, `${indent}  `);
    for (const inner of group.groups ?? []) writeGroup(inner, `${indent}  `);
  };
  for (const group of ENCODING_KINDS) writeGroup(group, "");
  return `${lines.join("\n")}\n`;
}
