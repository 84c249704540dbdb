/** Texts made short: deflated, in base64. In browsers and node alike. */

/** The text made short. */
export async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY);
  let letters = "";
  for (const byte of bytes!) letters += String.fromCharCode(byte);
  return btoa(letters);
}

/** The text again; undefined where it has more than `most` bytes. Rejects what is not packed. */
export async function unpacked(text: string, most = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const all = await through(bytes, new DecompressionStream("deflate-raw"), most);
  return all && new TextDecoder().decode(all);
}

/** The bytes after a transformation; undefined where they are more than `most`. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array | undefined> {
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return undefined;
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
