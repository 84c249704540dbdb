/**
 * Defaults that stand above a kernel in its file:
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

/** The settings in the comments directly above a line (1-based); comments of other kinds may stand between. */
export function commentSettings(text: string, line: number): readonly CommentSetting[] {
  const lines = text.split(/\r\n|\n|\r/, line - 1);
  let first = lines.length;
  while (first > 0 && /^\s*#/.test(lines[first - 1]!)) first--;
  return lines.slice(first).flatMap((comment) => {
    const settings = MARK.exec(comment)?.[1];
    return settings === undefined ? [] : settingsOf(settings);
  });
}

/** A value ends where the next `, key=` begins, so that a signature needs no quotes. */
function settingsOf(text: string): readonly CommentSetting[] {
  return text.split(/,(?=\s*[A-Za-z_]\w*\s*=(?!=))/).map((setting) => {
    const at = setting.indexOf("=");
    const [key, value] = at < 0 ? [setting.trim(), "True"] : [setting.slice(0, at).trim(), setting.slice(at + 1).trim()];
    return { key, value: key === "signature" ? (/^(["'])(.*)\1$/.exec(value)?.[2] ?? value) : value };
  });
}
