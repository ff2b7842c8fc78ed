import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say, scriptedProvider } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { options } from "../../src/command-line/options.ts";
import { parseCommandLine } from "../../src/command-line/parse-command-line.ts";
import { run } from "../../src/process/run.ts";
import { inputOf, memoryIo } from "../memory-io.ts";
import { choosing } from "../scripted-io.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

const flag = fc.constantFrom(
  ...options.flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]),
);
/** No path leads out of the folder, and nothing looks for servers on this machine. */
const value = fc.constantFrom(
  ...["", " ", "-", "a b", "0", "1e9", "-1", "high", "write", "bash(", "markdown", "jsonl", "é"],
);
const verb = fc.constantFrom("sessions", "list", "show", "export", "import", "delete", "--");
const word = fc.oneof(
  { weight: 4, arbitrary: flag },
  { weight: 3, arbitrary: value },
  { weight: 3, arbitrary: verb },
  { weight: 1, arbitrary: fc.tuple(flag, value).map(([name, given]) => `${name}=${given}`) },
);

test("whatever the words are, they are a request or a mistake with a sentence", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(word, fc.string({ unit: "binary" })), { maxLength: 8 }),
      (argv) => {
        const request = parseCommandLine(argv);

        expect(request.type === "mistake" ? request.message : "fine.").not.toBe("");
      },
    ),
    { numRuns: numRuns * 10 },
  );
});

test("an unknown option is wrong use, anywhere before two dashes", async () => {
  const known = new Set(options.flatMap(({ name, short }) => [`--${name}`, `-${short}`]));
  const unknown = fc.stringMatching(/^--?[a-z][a-z-]{0,9}$/).filter((name) => !known.has(name));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("a", "--json", "-c")),
      unknown,
      async (before, name) => {
        const io = memoryIo();

        expect(await run([...before, name, "prompt"], io)).toBe(2);
        expect(io.stderrText()).toContain(`Unknown option ${name}.`);
      },
    ),
    { numRuns: Math.ceil(numRuns / 3) },
  );
});

test("whatever the words are, the command ends with an exit code from 0 to 3", async () => {
  const home = mkdtempSync(join(tmpdir(), "capstan-fuzz-"));
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 6 }),
        fc.option(fc.string(), { nil: undefined }),
        async (argv, piped) => {
          const provider = scriptedProvider([say("ok"), say("ok")]);
          const stdin = piped === undefined ? {} : { stdin: inputOf([piped]) };
          const io = memoryIo({ home, chooseModel: choosing(provider), ...stdin });

          const exitCode = await run(argv, io);

          expect([0, 1, 2, 3]).toContain(exitCode);
          expect(exitCode === 2 ? io.stderrText() : "said").not.toBe("");
        },
      ),
      { numRuns: Math.ceil(numRuns / 3) },
    );
  } finally {
    rmSync(home, { recursive: true });
  }
});
