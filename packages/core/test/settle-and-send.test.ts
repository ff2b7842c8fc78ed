import type { Session } from "@capstan/core";
import {
  assertValidTranscript,
  callTool,
  echoTool,
  remoteTool,
  reply,
  say,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const twoCalls = reply(callTool("remote", { n: 1 }), callTool("echo", { n: 2 }));

interface Waiting {
  readonly world: World;
  readonly session: Session;
}

/** A session that waits for a result and for an approval. */
async function waiting(...after: readonly ReturnType<typeof say>[]): Promise<Waiting> {
  const tools = [remoteTool(), echoTool({ needsApproval: true })];
  const world = createWorld([twoCalls, ...after], tools);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello", { id: "t1" }).response;
  return { world, session };
}

test("a message with ifPending settle denies and fails what waits, and the model gets it all in one request", async () => {
  const { world, session } = await waiting(say("Noon"));

  const turn = session.send("What is the time?", { id: "t2", ifPending: "settle" });
  const response = await turn.response;

  expect(response).toMatchObject({ status: "completed", text: "Noon" });
  expect(world.provider.requests[1]?.messages.slice(2)).toMatchObject([
    { role: "tool", isError: true, content: "Not answered: the user sent another message." },
    { role: "tool", isDenied: true, content: "Denied: the user sent another message." },
    { role: "user", content: "What is the time?" },
  ]);
  assertValidTranscript(session.messages);
  await expectSameElsewhere(world, session);
});

test("it is one posted entry", async () => {
  const { world, session } = await waiting(say("Noon"));
  const before = world.entries(session.id).length;

  await session.send("What is the time?", { id: "t2", ifPending: "settle" }).response;

  const [posted, ...later] = world.entries(session.id).slice(before);
  expect(posted).toMatchObject({ type: "input", id: "t2", settles: expect.any(String) });
  expect(later[0]).toMatchObject({ type: "turn_started", turnId: "t1__2", continues: "t1" });
});

test("the caller may state the reason", async () => {
  const { session } = await waiting(say("Noon"));

  await session.send("Next", { ifPending: { settle: "it took too long." } }).response;

  const results = session.messages.filter(({ role }) => role === "tool");
  expect(results).toMatchObject([
    { content: "Not answered: it took too long." },
    { content: "Denied: it took too long." },
  ]);
});

test("the handle shows the events of the turn that continues", async () => {
  const { session } = await waiting(say("Noon"));

  const types: string[] = [];
  for await (const event of session.send("Next", { ifPending: "settle" })) types.push(event.type);

  expect(types[0]).toBe("turn_start");
  expect(types).toContain("text_delta");
  expect(types.at(-1)).toBe("turn_end");
});

test("without it the message is refused, the error names the ways out, and the calls go on waiting", async () => {
  const { session } = await waiting();

  const { error } = await session.send("Next").response;

  expect(error).toMatchObject({ code: "calls_pending" });
  expect(error?.message).toMatch(/answer.*approve or deny.*ifPending: "settle"/);
  expect(session.pendingToolCalls).toHaveLength(2);
});

test("at rest it is an ordinary input", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });

  const { text } = await session.send("Hello", { id: "t1", ifPending: "settle" }).response;

  expect(text).toBe("One");
  expect(session.turnIdOf("t1")).toBe("t1");
});

test("an answer that comes later is refused", async () => {
  const { world, session } = await waiting(say("Noon"));
  const [call] = session.pendingToolCalls;
  const host = world.host({ pollMs: Infinity });
  const elsewhere = await host.open(session.id);
  await session.send("Next", { ifPending: "settle" }).response;

  const { error } = await elsewhere.send([{ toolCallId: call?.toolCallId ?? "", output: "late" }])
    .response;

  expect(error?.code).toMatch(/already_answered|not_pending/);
});

test("the same id sent again is the same turn, also in another process after its end", async () => {
  const { world, session } = await waiting(say("Noon"));
  const options = { id: "t2", ifPending: "settle" } as const;
  await session.send("Next", options).response;

  const elsewhere = await world.host().open(session.id);
  const again = await elsewhere.send("Next", options).response;

  expect(again).toMatchObject({ status: "completed", text: "Noon" });
  expect(world.provider.requests).toHaveLength(2);
});

test("a process that posts it and dies loses nothing", async () => {
  const { world, session } = await waiting(say("Noon"));
  const process = mortal(world.repository);
  const other = await world.host({ repository: process.repository }).open(session.id);
  const { post } = process.repository;
  // A store that cannot claim the session with a post.
  process.repository.post = (id, entry) => {
    const posted = post(id, entry);
    process.die();
    return posted;
  };
  other.send("Next", { id: "t2", ifPending: "settle" });
  await world.clock.advance(2_000);

  expect(session.status).toBe("completed");
  expect(session.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "tool",
    "user",
    "assistant",
  ]);
});

test("abort on its handle stops the turn that continues", async () => {
  const { session } = await waiting();
  const turn = session.send("Next", { ifPending: "settle" });

  turn.abort();

  expect(await turn.response).toMatchObject({ status: "aborted" });
});

test("an ifPending that is none is refused", async () => {
  const { session } = await waiting();

  const { error } = await session.send("Next", { ifPending: "yes" as never }).response;

  expect(error).toMatchObject({ code: "invalid_input" });
});
