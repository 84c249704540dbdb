/** The lines of a text, broken at spaces so that none is longer than `width` characters (20 at least). */
export function wrapText(text: string, width: number): string[] {
  const parts: string[] = [];
  let current = "";
  for (const word of text.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > Math.max(20, width)) {
      parts.push(current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...parts, current];
}
