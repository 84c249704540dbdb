/**
 * Defaults in a comment above a kernel:
 *
 *     # tt-step: signature=*fp16:16, *fp16:16, i32, 128, num_warps=8
 *     # tt-step: target=cuda:90, config=0, define=FLAG=False
 *     @triton.jit
 *     def kernel(...):
 */

/** One `key=value` of a comment. */
export interface CommentSetting {
  readonly key: string;
  readonly value: string;
}

const MARK = /^\s*#\s*tt-step\s*:(.*)$/;

/** The settings in the comments directly above a line (1-based); comments of other kinds may come between. */
export function commentSettings(text: string, line: number): readonly CommentSetting[] {
  const lines = text.split(/\r\n|\n|\r/, line - 1);
  let first = lines.length;
  while (first > 0 && /^\s*#/.test(lines[first - 1]!)) first--;
  return lines.slice(first).flatMap((comment) => {
    const settings = MARK.exec(comment)?.[1];
    return settings === undefined ? [] : settingsOf(settings);
  });
}

/** A value ends where the next `, key=` outside of brackets begins, so that a signature needs no quotes. */
function settingsOf(text: string): readonly CommentSetting[] {
  let depth = 0;
  const settings: string[] = [];
  for (const part of text.split(",")) {
    if (settings.length > 0 && (depth > 0 || !/^\s*[A-Za-z_]\w*\s*=(?!=)/.test(part))) settings[settings.length - 1] += `,${part}`;
    else settings.push(part);
    // Angle brackets are brackets only in the types of descriptors.
    for (const [bracket] of part.matchAll(/[([{]|tensordesc\w*\s*<|[)\]}]|>\s*(?=:|$)/g)) depth += /[)\]}>]/.test(bracket) ? -1 : 1;
    depth = Math.max(0, depth);
  }
  return settings.map((setting) => {
    const at = setting.indexOf("=");
    const [key, value] = at < 0 ? [setting.trim(), "True"] : [setting.slice(0, at).trim(), setting.slice(at + 1).trim()];
    return { key, value: key === "signature" ? (/^(["'])(.*)\1$/.exec(value)?.[2] ?? value) : value };
  });
}

/** The text with a comment above a line (1-based) that holds the settings, in place of those of its keys that are there. */
export function withComment(text: string, line: number, settings: ReadonlyMap<string, string>): string {
  const newline = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const lines = text.split(/\r\n|\n|\r/);
  let first = line - 1;
  while (first > 0 && /^\s*#/.test(lines[first - 1]!)) first--;
  const kept = commentSettings(text, line).filter(({ key }) => !settings.has(key));
  const all = [...kept, ...[...settings].map(([key, value]) => ({ key, value }))];
  const indent = /^\s*/.exec(lines[line - 1] ?? "")![0];
  const comment = `${indent}# tt-step: ${all.map(({ key, value }) => `${key}=${value}`).join(", ")}`;
  const others = lines.slice(first, line - 1).filter((l) => !MARK.test(l));
  return [...lines.slice(0, first), ...others, comment, ...lines.slice(line - 1)].join(newline);
}
