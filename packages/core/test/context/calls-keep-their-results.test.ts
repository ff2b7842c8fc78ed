/** A compaction or an abort that splits a tool call from its result would make every later request of the session fail. */
import type { ChatMessage } from "@capstan/kernel";
import type { Entry } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import {
  callTool,
  checkTranscript,
  echoTool,
  failAfter,
  remoteTool,
  reply,
  say,
  stall,
} from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { ContextProjection } from "../../src/context/projection.ts";
import { endOfSummary } from "../../src/compaction/summary-scope.ts";
import { full, long, smallWorld, summary } from "./compaction-world.ts";

/** A log in which everything has happened that ends a step: answers, parallel calls, an abort, a failure, calls that wait. */
async function eventfulLog(): Promise<readonly Entry[]> {
  const world = smallWorld(
    [
      reply(say("Both"), callTool("echo", { n: 1 }), callTool("echo", { n: 2 })),
      callTool("echo", { n: 3 }),
      say("Done"),
      reply(say("Half"), callTool("echo"), stall()),
      failAfter(say("Broken"), "invalid_request"),
      reply(callTool("remote"), callTool("echo"), callTool("guarded")),
      say("Picked"),
      callTool("remote"),
    ],
    { tools: [echoTool(), remoteTool(), echoTool({ name: "guarded", needsApproval: true })] },
  );
  const session = world.session();
  await session.send("Go").response;
  const turn = session.send("Stop me");
  await world.clock.advance(0);
  await session.abort();
  await turn.response;
  await session.send("Fail").response;
  const { pendingToolCalls = [] } = await session.send("Pick").response;
  const answers = pendingToolCalls.map(({ toolCallId, kind, hash }) =>
    kind === "execution" ? { toolCallId, output: "red" } : { toolCallId, hash, approved: true },
  );
  await session.send(answers).response;
  await session.send("Pick again").response;
  return world.entries(session.id);
}

/** What a model would be shown if the log ended here and were compacted. */
function compactedAt(entries: readonly Entry[], keepRecentSteps: number): readonly ChatMessage[] {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  const { messages } = fold.transcript;
  const end = endOfSummary(fold.transcript, 0, keepRecentSteps);
  const through = messages[end - 1]?.id;
  if (through !== undefined) {
    const seq = fold.seq + 1;
    const counts = { before: 9, after: 1 };
    fold.apply({
      v: 1,
      id: "c",
      seq,
      at: 0,
      type: "compaction",
      turnId: "t",
      through,
      summary: "S",
      ...counts,
    });
  }
  return new ContextProjection(fold.context).show({ history: messages, input: [], added: [] });
}

function transcriptOf(entries: readonly Entry[]): readonly ChatMessage[] {
  const fold = new SessionFold();
  for (const entry of entries) fold.apply(entry);
  return fold.transcript.messages;
}

function problemsOf(messages: readonly ChatMessage[]): string[] {
  return checkTranscript(messages, { allowOpenTail: true }).map(({ message }) => message);
}

describe("a tool call stays with its result", () => {
  test.each([0, 1, 2, 5])(
    "wherever a log is cut and compacted, calls and results stay together, with %i steps kept",
    async (keepRecentSteps) => {
      const entries = await eventfulLog();

      const problems = entries.flatMap((_, place) => {
        const known = entries.slice(0, place + 1);
        const before = new Set(problemsOf(transcriptOf(known)));
        return problemsOf(compactedAt(known, keepRecentSteps)).filter((each) => !before.has(each));
      });

      expect(problems).toEqual([]);
      expect(entries.length).toBeGreaterThan(40);
    },
  );

  test("the request for a summary is one that a provider takes, wherever the log ends", async () => {
    const entries = await eventfulLog();

    const problems = entries.flatMap((_, place) => {
      const fold = new SessionFold();
      for (const entry of entries.slice(0, place + 1)) fold.apply(entry);
      const end = endOfSummary(fold.transcript, 0, 0);
      const prompt: ChatMessage = { role: "user", id: "prompt", content: "Summarize" };
      return checkTranscript([...fold.transcript.messages.slice(0, end), prompt]);
    });

    expect(problems).toEqual([]);
  });

  test("a session that was compacted in the middle of a turn, and aborted in the next step, goes on", async () => {
    const world = smallWorld(
      [full(callTool("echo"), 8_500), summary, reply(callTool("echo"), stall()), say("Here")],
      { tools: [echoTool()] },
    );
    const session = world.session();
    const turn = session.send(long("Go"));
    await world.clock.advance(0);
    await session.abort();
    await turn.response;

    const answer = await session.run("And now?");

    expect(answer).toBe("Here");
    expect(checkTranscript(world.provider.requests.at(-1)?.messages ?? [])).toEqual([]);
  });
});
