/** The user's own Triton, whose library functions (`tl.sum`, ...) are then read: found by looking, without starting Python. */
import type { Io } from "./io.js";

export interface FoundTriton {
  /** The package's own folder. */
  readonly folder: string;
  /** `3.6.0`; empty when it does not say. */
  readonly version: string;
}

/** The Triton that `python3` would import, or undefined. Source: CPython's site.py says where packages are. */
export function findTriton({ env, programs, readFile }: Io): FoundTriton | undefined {
  if (!programs) return undefined;
  const list = (folder: string): readonly string[] => programs.listFolder(folder);
  const text = (path: string): string => {
    try {
      return readFile(path);
    } catch {
      return ""; // Not there, or not ours to read.
    }
  };
  for (const folder of packages()) {
    if (!list(folder).includes("language")) continue;
    return { folder, version: /^__version__ = ['"]([^'"]*)/m.exec(text(`${folder}/__init__.py`))?.[1] ?? "" };
  }
  return undefined;

  /** Where a package of that name may be, as Python asks: folders of packages first, then what an editable installation maps. */
  function* packages(): Generator<string> {
    for (const folder of (env["PYTHONPATH"] ?? "").split(":").filter(Boolean)) yield `${folder}/triton`;
    const finders: string[] = [];
    for (const site of sitePackages()) {
      yield `${site}/triton`;
      // Source: site.py, addpackage: a line is a folder, or a statement to run.
      const additions = list(site).filter((name) => name.endsWith(".pth"));
      for (const line of additions.sort().flatMap((name) => text(`${site}/${name}`).split(/\r?\n/))) {
        const finder = /^import[ \t]+(__editable__\w+)/.exec(line)?.[1];
        if (finder !== undefined) finders.push(`${site}/${finder}.py`);
        else if (!/^\s*(?:#|import[ \t]|$)/.test(line)) yield `${line.startsWith("/") ? "" : `${site}/`}${line.trimEnd()}/triton`;
      }
    }
    // Source: setuptools' editable_wheel.py: `MAPPING = {'triton': '/src/triton/python/triton'}`
    for (const finder of finders) {
      const mapped = /^MAPPING\b.*?['"]triton['"]: *(['"])(.*?)\1/m.exec(text(finder))?.[2];
      if (mapped !== undefined) yield mapped;
    }
  }

  function* sitePackages(): Generator<string> {
    for (const prefix of prefixes()) {
      const versions = list(`${prefix}/lib`).filter((name) => /^python3\.\d+$/.test(name));
      // Of several, the newest.
      versions.sort((a, b) => Number(b.slice(8)) - Number(a.slice(8)));
      for (const version of versions) {
        yield `${prefix}/lib/${version}/site-packages`;
        yield `${prefix}/local/lib/${version}/dist-packages`;
      }
      yield `${prefix}/lib/python3/dist-packages`;
    }
  }

  /** Where Python is installed: the environment that is active, else the first `python3` on the path. */
  function prefixes(): readonly string[] {
    const active = env["VIRTUAL_ENV"] ?? env["CONDA_PREFIX"];
    if (active) return [active];
    const bin = (env["PATH"] ?? "").split(":").find((folder) => folder !== "" && programs!.isProgram(`${folder}/python3`));
    if (bin === undefined) return [];
    const prefix = bin.replace(/\/[^/]*\/?$/, "");
    // pyenv's is a script that looks up the version in use.
    const pyenv = env["PYENV_VERSION"] ?? text(`${prefix}/version`).trim();
    return bin.endsWith("/shims") && /^[\w.+-]+$/.test(pyenv) ? [`${prefix}/versions/${pyenv}`] : [prefix];
  }
}
