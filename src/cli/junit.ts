/** Results as JUnit's XML, which CI systems read. */

export interface JunitCase {
  readonly name: string;
  readonly file: string;
  readonly ms: number;
  readonly failure: { readonly tag: "error" | "failure"; readonly message: string; readonly text: string } | undefined;
}

export function junitFile(suite: string, cases: readonly JunitCase[]): string {
  const count = (tag: string) => cases.filter(({ failure }) => failure?.tag === tag).length;
  const lines = cases.map(({ name, file, ms, failure }) => {
    const head = `  <testcase classname="${suite}" name="${xml(name)}" file="${xml(file)}" time="${(ms / 1000).toFixed(3)}"`;
    if (!failure) return `${head}/>`;
    return `${head}>\n    <${failure.tag} message="${xml(failure.message)}">${xml(failure.text)}</${failure.tag}>\n  </testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${suite}" tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}">\n${lines.join("\n")}\n</testsuite>\n`;
}

const xml = (text: string): string =>
  text
    .replace(/[^\t\n\x20-\x7e\xa0-\uffff]/g, ".")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
