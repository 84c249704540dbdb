/** Colours of MLIR in the editor. */
import { StreamLanguage } from "@codemirror/language";

const TOKENS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\/\/.*/, "comment"],
  [/"(?:[^"\\]|\\.)*"?/, "string"],
  [/%[\w$.-]+(?:#\d+)?/, "variableName"],
  [/[#!][A-Za-z_][\w$.]*/, "macroName"],
  [/\^[\w$.-]+/, "labelName"],
  [/@[\w$.-]+/, "definition(variableName)"],
  [/[a-z_]\w*(?:\.[a-z_]\w*)+/, "keyword"],
  [/(?:tensor|vector|memref|index|none|bf16|f8E\w+|[fi]\d+)\b/, "typeName"],
  [/(?:module|return|loc|attributes|public|private)\b/, "keyword"],
  [/-?\d[\w.+]*/, "number"],
];

export const mlir = StreamLanguage.define({
  name: "mlir",
  token(stream) {
    if (stream.eatSpace()) return null;
    for (const [pattern, name] of TOKENS) if (stream.match(pattern)) return name;
    // The rest of a word, or one sign.
    if (!stream.match(/\w+/)) stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" } },
});
