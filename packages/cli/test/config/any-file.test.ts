/** Whatever is in a file, a variable or a flag: settings, or a `ConfigError` that says what is wrong. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigError } from "../../src/errors/config-error.ts";
import { settingsOfEnv, settingsOfFlags } from "../../src/config/outer-settings.ts";
import { parseSettings } from "../../src/config/parse-settings.ts";
import { mergeLayers, toSettings } from "../../src/config/layers.ts";
import { surroundings, userFile } from "./surroundings.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

const words = [
  ...'{ } [ ] , : " // /* */ \\u \\ \n \r\n null true 1e9 -0 1.5'.split(" "),
  ...["$schema", "model", "thinking", "maxCost", "maxSteps", "planning", "permissions", "allow"],
  ...[
    "ask",
    "deny",
    "roots",
    "tools",
    "bash",
    "providers",
    "store",
    "headers",
    "models",
    "__proto__",
  ],
].map((word) => (/^\w/.test(word) && word !== "null" ? `"${word}"` : word));
const pieces = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((all) => all.join(""));

/** JSON in which keys of settings are likely. */
const likely = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      0,
      1,
      -1,
      1.5,
      1e300,
      true,
      null,
      "",
      "high",
      "bash(a *)",
      "*",
      "~",
      "__proto__",
    ),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.constantFrom("model", "thinking", "maxSteps", "planning", "maxContinuations"),
        fc.constantFrom("permissions", "allow", "deny", "tools", "bash", "timeoutMs", "providers"),
        fc.constantFrom("openai", "headers", "models", "price", "constructor", "toString"),
        fc.string(),
      ),
      tie("value"),
      { maxKeys: 6 },
    ),
  ),
})).value;

function outcomeOf(work: () => unknown): "settings" | "refused" {
  try {
    work();
    return "settings";
  } catch (thrown) {
    if (thrown instanceof ConfigError) return "refused";
    throw thrown;
  }
}

test("any text as a file is settings or a ConfigError, each line of which names line and column", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    pieces,
    fc.json(),
    likely.map((value) => JSON.stringify(value)),
  );

  fc.assert(
    fc.property(texts, (text) => {
      try {
        toSettings(mergeLayers({}, parseSettings("f.json", text).settings), "/data");
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(ConfigError);
        const lines = (thrown as ConfigError).message.split("\n");
        expect(lines.length).toBeLessThanOrEqual(11);
        for (const line of lines.slice(0, 10))
          expect(line).toMatch(/^f\.json:[1-9]\d*:[1-9]\d*: \S/);
      }
    }),
    { numRuns },
  );
});

test("any bytes as a file are settings or a ConfigError", async () => {
  const { load, write } = await surroundings();

  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await write(userFile, bytes);
      const thrown: unknown = await load().then(
        () => undefined,
        (error: unknown) => error,
      );

      expect(thrown === undefined || thrown instanceof ConfigError).toBe(true);
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  );
});

test("any variables and flags are settings or a ConfigError", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("1", "0", "1.5", "high", "a/b", "bash(x)"),
  );
  const names = fc.constantFrom("MODEL", "THINKING", "MAX_COST", "MAX_STEPS", "STORE");
  const env = fc.dictionary(
    names.map((name) => `CAPSTAN_${name}`),
    text,
  );
  const flags = fc.record(
    { model: text, thinking: text, maxCost: text, allow: fc.array(text) },
    { requiredKeys: [] },
  );

  fc.assert(
    fc.property(env, flags, (env, flags) => {
      expect(["settings", "refused"]).toContain(outcomeOf(() => settingsOfEnv(env, "/")));
      expect(["settings", "refused"]).toContain(outcomeOf(() => settingsOfFlags(flags)));
    }),
    { numRuns },
  );
});

const optional = <Fields extends object>(fields: {
  [Key in keyof Fields]: fc.Arbitrary<Fields[Key]>;
}) => fc.record(fields, { requiredKeys: [] });
const tokens = fc.integer({ min: 1, max: 1_000_000 });
const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}$/);
const rules = fc.array(
  fc.constantFrom(
    "*",
    "edit",
    "edit(src/**)",
    "write(./a.md)",
    "bash(npm test)",
    "bash(git *)",
    "bash('a b')",
  ),
  { maxLength: 4 },
);
const dollars = fc
  .double({ min: 0, max: 1000, noNaN: true, noDefaultInfinity: true })
  .map((value) => value + 0);
const models = fc.array(
  fc.record(
    {
      id: name,
      contextWindow: tokens,
      maxOutput: tokens,
      price: fc.record({ inputPerMillion: dollars, outputPerMillion: dollars }),
    },
    { requiredKeys: ["id", "contextWindow"] },
  ),
  { maxLength: 3 },
);
const validSettings = optional({
  model: fc.constantFrom("fast", "openai/gpt-x", "groq/openai/x"),
  thinking: fc.constantFrom("off", "minimal", "low", "medium", "high", "xhigh", "max"),
  maxCost: fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100),
  maxSteps: fc.integer({ min: 1, max: 10_000 }),
  planning: optional({ maxContinuations: fc.integer({ min: 0, max: 20 }) }),
  permissions: optional({ allow: rules, ask: rules, deny: rules }),
  roots: fc.array(
    name.map((folder) => `/${folder}`),
    { maxLength: 3 },
  ),
  tools: optional({
    fetch: fc.boolean(),
    bash: optional({
      timeoutMs: fc.integer({ min: 1, max: 600_000 }),
      sandbox: fc.constantFrom("off", "write", "strict"),
      writable: fc.array(
        name.map((folder) => `/${folder}`),
        { maxLength: 3 },
      ),
      passEnv: fc.array(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,10}$/), { maxLength: 3 }),
    }),
  }),
  providers: fc.dictionary(
    fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/),
    optional({
      protocol: fc.constantFrom(
        "openai-chat",
        "openai-responses",
        "anthropic-messages",
        "google-generate",
      ),
      baseUrl: fc.webUrl(),
      keyVariable: fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,10}$/),
      headers: fc.dictionary(
        fc.stringMatching(/^[a-z-]{1,10}$/),
        fc.stringMatching(/^[ -~]{0,20}$/),
      ),
      models,
    }),
    { maxKeys: 3 },
  ),
  store: name.map((file) => `/${file}`),
});

test("any settings that are allowed come back as they were written", () => {
  fc.assert(
    fc.property(validSettings, fc.constantFrom(undefined, 2, "\t"), (written, space) => {
      const { settings } = parseSettings("f.json", JSON.stringify(written, null, space));

      // A rule's text is as written.
      const texts: unknown = JSON.parse(
        JSON.stringify(settings, (_, value) => (isRule(value) ? value.text : value)),
      );
      expect(texts).toEqual(JSON.parse(JSON.stringify(written)));
    }),
    { numRuns },
  );
});

function isRule(value: unknown): value is { readonly text: string } {
  return typeof value === "object" && value !== null && "text" in value;
}
