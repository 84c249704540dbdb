import { expect, test } from "vitest";
import { COMMAND_IDS } from "../tui/keymap.js";
import { configPath, configSchema, parseConfig, readConfig } from "./config.js";

const errorOf = (text: string): string => {
  const config = parseConfig("config.json", text);
  return "error" in config ? config.error : "no error";
};

test("the schema that is shipped is the one of the tables", async () => {
  await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot("../../schemas/config.json");
  expect(COMMAND_IDS.length).toBeGreaterThan(50);
});

test("keys, theme, mouse, defaults", () => {
  const text = `{"$schema": "x", "theme": "light", "mouse": false, "keys": {"quit": "Q", "down": ["é", "g j"]},
    "defaults": {"num-warps": 8, "target": "cuda:90", "enable-fp-fusion": false, "debug": true}}`;
  expect(parseConfig("c", text)).toEqual({
    keys: { quit: ["Q"], down: ["é", "g j"] },
    options: ["--theme=light", "--no-mouse", "--num-warps=8", "--target=cuda:90", "--no-enable-fp-fusion", "--debug"],
  });
});

test.each([
  ["{", "config.json:1:2: error: expected a key in quotes, but the text ends"],
  ["", "config.json:1:1: error: expected a value, but the text ends"],
  ['{"theme": light}', "config.json:1:11: error: expected a value, not 'l'"],
  ['{"theme": "light",}', "config.json:1:19: error: expected a key in quotes, not '}'"],
  ["[]", "config.json:1:1: error: expected an object"],
  ["{} x", "config.json:1:4: error: expected the end of the text, not 'x'"],
  ['{\n  "thme": "light"\n}', "config.json:2:3: error: no setting is called 'thme'; did you mean 'theme'?"],
  ['{"theme": "pink"}', "config.json:1:11: error: expected dark, light or none"],
  ['{"mouse": 1}', "config.json:1:11: error: expected true or false"],
  ['{"keys": {"quti": "Q"}}', "config.json:1:11: error: no command is called 'quti'; did you mean 'quit'?"],
  ['{"keys": {"constructor": "Q"}}', "config.json:1:11: error: no command is called 'constructor'"],
  ['{"keys": {"quit": "ctrl+"}}', "config.json:1:19: error: expected a key, as 'x'"],
  ['{"keys": {"quit": []}}', "config.json:1:19: error: a command has one key at least"],
  [`{"keys": {"quit": [${Array(33).fill('"Q"').join()}]}}`, "config.json:1:19: error: a command has 32 keys at most"],
  ['{"keys": {"quit": "j"}}', "config.json:1:19: error: 'j' is in the way of 'j', a key of 'down'"],
  ['{"keys": {"quit": "g"}}', "config.json:1:19: error: 'g' is in the way of 'g g', a key of 'top'"],
  ['{"defaults": {"num-wraps": 8}}', "config.json:1:28: error: unknown option '--num-wraps'; did you mean '--num-warps'?"],
  ['{"defaults": {"target": "cuda:1"}}', "config.json:1:25: error: --target expects cuda:75"],
  ['{"defaults": {"num-warps": null}}', "config.json:1:28: error: --num-warps expects a power of 2"],
  [`${'{"keys":'.repeat(200)}`, "expected fewer levels"],
])("%j is refused at its place", (text, message) => {
  expect(errorOf(text)).toContain(message);
});

test("where it is looked for; none is no error, one that cannot be read is", () => {
  expect(configPath({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/tt-step/config.json");
  expect(configPath({ HOME: "/h" })).toBe("/h/.config/tt-step/config.json");
  expect(configPath({})).toBeUndefined();
  const failing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  expect(readConfig({ env: { HOME: "/h" }, readFile: failing("ENOENT") })).toMatchObject({ keys: {}, options: [] });
  expect(readConfig({ env: { HOME: "/h" }, readFile: failing("EACCES") })).toEqual({
    error: "tt-step: cannot read '/h/.config/tt-step/config.json': EACCES\n",
  });
});

test("a string may be long", () => {
  expect(errorOf(`{"thme": "${"x".repeat(20_000_000)}\\n"}`)).toMatch(
    "config.json:1:2: error: no setting is called 'thme'; did you mean 'theme'?",
  );
});
