import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnyTool } from "@capstan/core";
import { defineTool } from "@capstan/core";
import { callTool, reply, say, tinyImage } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { run } from "../src/process/run.ts";
import { memoryIo, temporaryFolder } from "./memory-io.ts";
import { runScripted } from "./scripted-io.ts";

/** More than a model is shown of an output, so that the whole is kept beside the log. */
const longText = "line \u2028 of a long output\n".repeat(20_000);

const show: AnyTool = defineTool({
  name: "show",
  description: "Shows an image, or a long text",
  input: z.object({ what: z.enum(["image", "text"]) }),
  effect: "pure",
  execute: ({ what }) =>
    what === "text" ? longText : [{ type: "image", mediaType: "image/png", data: tinyImage.data }],
});

async function command(io: ReturnType<typeof memoryIo>, ...argv: readonly string[]) {
  const exitCode = await run(argv, io);
  return { exitCode, stdout: io.stdoutText(), stderr: io.stderrText() };
}

/** A session with an image and a long output, exported. */
async function exported() {
  const cwd = await temporaryFolder();
  const { io } = await runScripted(
    ["--allow", "*", "the first"],
    [
      reply(callTool("show", { what: "image" })),
      reply(callTool("show", { what: "text" })),
      reply(say("Seen.")),
    ],
    { cwd, tools: [show] },
  );
  const id = / session (\w+)\n$/.exec(io.stderrText())?.[1] ?? "";
  const file = join(cwd, "session.jsonl");
  const { exitCode } = await command(
    memoryIo({ home: io.home, cwd }),
    "sessions",
    "export",
    id,
    "--output",
    "session.jsonl",
  );
  return { home: io.home, cwd, id, file, exitCode, text: await readFile(file, "utf8") };
}

test("what was exported is imported elsewhere with all of it, images and kept outputs included", async () => {
  const { id, file, home, cwd: original } = await exported();
  const [elsewhere, cwd] = [memoryIo().home, await temporaryFolder()];

  const imported = await command(memoryIo({ home: elsewhere, cwd }), "sessions", "import", file);
  const again = await command(memoryIo({ home: elsewhere, cwd }), "sessions", "export", id);
  const markdown = ["sessions", "export", id, "--format", "markdown"] as const;
  const there = await command(memoryIo({ home: elsewhere, cwd }), ...markdown);
  const here = await command(memoryIo({ home, cwd: original }), ...markdown);

  expect({ exitCode: imported.exitCode, stdout: imported.stdout }).toEqual({
    exitCode: 0,
    stdout: `${id}\n`,
  });
  const blob = /^\{"blob":"(.+?)","data":"(.+)"\}$/m.exec(again.stdout);
  expect(Buffer.from(blob?.[2] ?? "", "base64").toString()).toBe(longText);
  expect(again.stdout).toContain(tinyImage.data);
  expect(said(there.stdout)).toEqual(said(here.stdout));
});

/** The messages, without what stands above them. */
function said(markdown: string): string {
  return markdown.slice(markdown.indexOf("\n## "));
}

test("a session that was imported goes on in its new folder", async () => {
  const { file, id } = await exported();
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];
  await command(memoryIo({ home, cwd }), "sessions", "import", file);

  const { exitCode, provider } = await runScripted(
    ["--continue", "And now?"],
    [reply(callTool("read_output", { ref: "?" })), reply(say("Now this."))],
    { home, cwd },
  );

  expect(exitCode).toBe(0);
  expect(JSON.stringify(provider.requests[0]?.messages)).toContain(tinyImage.data);
  expect((await command(memoryIo({ home, cwd }), "sessions")).stdout).toContain(id);
});

test("where its id is taken it gets another one", async () => {
  const { home, cwd, file, id } = await exported();

  const { exitCode, stdout } = await command(memoryIo({ home, cwd }), "sessions", "import", file);
  const listed = await command(memoryIo({ home, cwd }), "sessions");

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^[\da-v]{16}\n$/);
  expect(listed.stdout.split("\n").slice(0, -1)).toHaveLength(2);
  expect(listed.stdout).toContain(id);
});

test("the file is for its user alone", async () => {
  const { file, exitCode } = await exported();

  const { mode } = await stat(file);

  expect(exitCode).toBe(0);
  expect(mode & 0o777).toBe(0o600);
});

test("nothing of a file runs by itself: a call without a result is closed", async () => {
  const { file, text } = await exported();
  const lines = text.trimEnd().split("\n");
  const end = lines.findIndex((line) => line.includes('"type":"tool_result"'));
  // State after a kill while the first call ran.
  await writeFile(file, `${lines.slice(0, end).join("\n")}\n`);
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];

  const { exitCode, stderr } = await command(memoryIo({ home, cwd }), "sessions", "import", file);
  const listed = await command(memoryIo({ home, cwd }), "sessions", "--json");

  expect(exitCode).toBe(0);
  expect(stderr).toContain("1 call without a result is closed as not run");
  expect(JSON.parse(listed.stdout)).toMatchObject({ status: "idle" });
});

test("as Markdown it is for people", async () => {
  const { home, cwd, id } = await exported();

  const { stdout } = await command(
    memoryIo({ home, cwd }),
    "sessions",
    "export",
    id,
    "--format",
    "markdown",
  );

  expect(stdout).toMatch(/^# the first\n\n- session: \w+\n- folder: /);
  expect(stdout).toContain("\n\n**Instructions:**\n\n```\nYou are Capstan, an agent");
  expect(stdout).toContain("\n\n## User\n\nthe first\n\n## Assistant\n\n**show**\n\n```json\n");
  expect(stdout).toContain("\n(image: image/png, 67 bytes)\n");
  expect(stdout).toMatch(/\n\(Shortened; all \d+ characters are in the JSONL export\.\)\n/);
  expect(stdout).toMatch(/\n## Assistant\n\nSeen\.\n$/);
});

test.each([
  ["an empty file", () => [], "1: this is not the first line of an exported session."],
  ["another file", () => ["{}"], "1: this is not the first line of an exported session."],
  [
    "a newer version",
    ([head = ""]: string[]) => [head.replace('"version":1', '"version":2')],
    "1: unsupported version 2, this program reads version 1: update it.",
  ],
  ["what is no JSON", (lines: string[]) => [...lines.slice(0, 3), "{"], "4: invalid JSON ("],
  [
    "a missing line",
    (lines: string[]) => lines.toSpliced(2, 1),
    '3: expected the entry with "seq": 2.',
  ],
  [
    "a damaged blob",
    (lines: string[]) => [...lines.slice(0, 2), '{"blob":"x","data":"?"}', ...lines.slice(2)],
    '3: the data of the blob "x" is not Base64.',
  ],
  [
    "a damaged entry",
    (lines: string[]) => lines.with(3, '{"v":1,"type":"turn_started","id":"x","at":1,"seq":3}'),
    "4: ",
  ],
  [
    "another beginning",
    (lines: string[]) => lines.with(1, (lines[1] ?? "").replace('"created"', '"future"')),
    '2: The log cannot be read: the first entry of a session must be of the type "created".',
  ],
])("an import with %s names the position, and stores nothing", async (_, change, problem) => {
  const { file, text } = await exported();
  await writeFile(file, change(text.trimEnd().split("\n")).join("\n"));
  const [home, cwd] = [memoryIo().home, await temporaryFolder()];

  const { exitCode, stderr } = await command(memoryIo({ home, cwd }), "sessions", "import", file);
  const listed = await command(memoryIo({ home, cwd }), "sessions");

  expect(exitCode).toBe(2);
  expect(stderr).toContain(`capstan: ${file}:${problem}`);
  expect(listed.stdout).toBe("");
});

test("bytes that are no text, and a file that is not there, are refused with its name", async () => {
  const { file } = await exported();
  await appendFile(file, new Uint8Array([0xff, 0x0a]));
  const io = memoryIo();

  const bytes = await command(memoryIo(), "sessions", "import", file);
  const missing = await command(io, "sessions", "import", "nowhere");

  expect([bytes.exitCode, missing.exitCode]).toEqual([2, 2]);
  expect(bytes.stderr).toMatch(/session\.jsonl:\d+: invalid UTF-8\./);
  expect(missing.stderr).toBe(
    `capstan: Cannot read ${io.cwd}/nowhere: ENOENT: no such file or directory.\n`,
  );
});

test("a file that cannot be written is said", async () => {
  const { home, cwd, id } = await exported();
  const io = memoryIo({ home, cwd });

  const { exitCode, stderr } = await command(io, "sessions", "export", id, "--output", "no/such");

  expect(exitCode).toBe(1);
  expect(stderr).toContain(`Cannot write the session to ${cwd}/no/such: ENOENT`);
});
