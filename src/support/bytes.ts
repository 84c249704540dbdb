/** Texts as files hold them: one character a byte. */

/** The bytes of a text. */
export function bytesOf(latin1: string): Uint8Array {
  const bytes = new Uint8Array(latin1.length);
  for (let i = 0; i < latin1.length; i++) bytes[i] = latin1.charCodeAt(i);
  return bytes;
}

/** The text of some bytes, flat in memory. */
export function textOfBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4096) parts.push(String.fromCharCode(...bytes.subarray(at, at + 4096)));
  return parts.join("");
}

/** A copy: a part that was cut out of a text keeps the whole of it in memory. Joining texts copies them, and is much faster than bytes. */
export const compact = (text: string): string => ` ${text}`.slice(1);
