import { WireReader } from "@capstan/log";
import type { WireEvent } from "@capstan/log";
import { assertValidEvents, callTool, failBefore, reply, say, think } from "@capstan/testing";
import { expect, test } from "vitest";
import { jsonLines, runScripted } from "./scripted-io.ts";

const script = [
  reply(think("Hm."), say(["I ", "look."]), callTool("ls", {})),
  reply(say("Nothing.")),
];

test("the first line is the session, the last one the result, the others are events", async () => {
  const { io, exitCode } = await runScripted(["--json", "prompt"], script);

  const [session, ...rest] = jsonLines(io);
  expect(exitCode).toBe(0);
  expect(session).toEqual({
    type: "session",
    id: expect.stringMatching(/^\w{16}$/),
    model: "scripted",
    cwd: io.cwd,
  });
  expect(rest.at(-1)).toEqual({
    type: "result",
    status: "completed",
    finishReason: "stop",
    text: "Nothing.",
    usage: { unreportedAttempts: 2 },
    refusals: [],
    exitCode: 0,
  });
  expect(rest.slice(0, -1).every(({ cursor }) => /^\d+\.\d+$/.test(String(cursor)))).toBe(true);
});

test("the events are those of the wire: a reader of it makes them whole again", async () => {
  const { io } = await runScripted(["--json", "prompt"], script);

  const [session, ...rest] = jsonLines(io);
  const reader = new WireReader(String(session?.["id"]));
  const events = rest.slice(0, -1).map((line) => reader.read(line as unknown as WireEvent));
  assertValidEvents(events);
  expect(events.filter(({ type }) => type === "text_end")).toMatchObject([
    { text: "I look." },
    { text: "Nothing." },
  ]);
});

test("a turn that failed has its error in the result", async () => {
  const { io, exitCode } = await runScripted(
    ["--json", "prompt"],
    [failBefore(new Error("the model is gone"))],
  );

  expect(exitCode).toBe(1);
  expect(jsonLines(io).at(-1)).toMatchObject({
    type: "result",
    status: "error",
    error: { message: "the model is gone" },
    exitCode: 1,
  });
});

test("what was wrong before there was a session is on stderr alone", async () => {
  const { io, exitCode } = await runScripted(["--json", "--thinking", "much", "prompt"], script);

  expect({ exitCode, stdout: io.stdoutText() }).toEqual({ exitCode: 2, stdout: "" });
  expect(io.stderrText()).toContain("--thinking");
});
