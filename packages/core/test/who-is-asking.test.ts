import { createSession, defineTool, dependency } from "@capstan/core";
import type { TurnContext } from "@capstan/core";
import { callTool, remoteTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";

const session = { id: "s1", principal: "ann", metadata: { plan: "free" } };
const turn = { id: "t1", metadata: { from: "phone" } };

/** Copies the fields that every callback must see. */
function seenIn(context: TurnContext): Pick<TurnContext, "session" | "turn"> {
  return { session: context.session, turn: context.turn };
}

test("a tool, its approval, the hooks, the instructions and the dependencies see the session and the turn", async () => {
  const seen: Record<string, unknown> = {};
  const PerTurn = dependency("per-turn", (_get, context) => {
    seen["dependency of the turn"] = seenIn(context);
    return 1;
  });
  const PerSession = dependency(
    "per-session",
    (_get, context) => {
      seen["dependency of the session"] = context;
      return 2;
    },
    { scope: "session" },
  );
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    needsApproval: (_input, context) => {
      seen["needsApproval"] = seenIn(context);
      return false;
    },
    async execute(_input, context) {
      seen["execute"] = seenIn(context);
      await context.get(PerTurn);
      await context.get(PerSession);
      return "seen";
    },
  });
  const world = createWorld([callTool("look"), say("Done")], [look], {
    instructions: (context) => {
      seen["instructions"] = seenIn(context);
      return "Look";
    },
    hooks: {
      before: (_call, context) => {
        seen["before"] = seenIn(context);
      },
      after: (_call, _result, context) => {
        seen["after"] = seenIn(context);
      },
    },
  });

  const created = world.host().createSession({ agent: "helper", ...session });
  const response = await created.send("Hello", turn).response;

  expect(response.text).toBe("Done");
  const all = { session, turn };
  expect(seen).toEqual({
    "dependency of the turn": all,
    "dependency of the session": { session },
    needsApproval: all,
    execute: all,
    instructions: all,
    before: all,
    after: all,
  });
});

/** A tool that waits for an answer, and one that reports its context. */
function contextWorld(script: Parameters<typeof createWorld>[0]): {
  readonly world: ReturnType<typeof createWorld>;
  readonly seen: TurnContext[];
} {
  const seen: TurnContext[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    execute(_input, context) {
      seen.push({ session: context.session, turn: context.turn, app: context.app });
      return "seen";
    },
  });
  return { world: createWorld(script, [look, remoteTool()]), seen };
}

test("a turn that continues another has the metadata of the first one, in another process too", async () => {
  const { world, seen } = contextWorld([callTool("remote"), callTool("look"), say("Done")]);
  const first = world.host().createSession({ agent: "helper", ...session });
  const { pendingToolCalls = [] } = await first.send("Hello", turn).response;
  await first.close();

  const other = await world.host().open("s1");
  const toolCallId = pendingToolCalls[0]?.toolCallId ?? "";
  await other.send([{ toolCallId, output: "yes" }]).response;

  expect(seen).toEqual([{ session, turn: { id: "t1__2", metadata: turn.metadata } }]);
});

test("a turn that a queued message starts has the metadata of that message", async () => {
  const { world, seen } = contextWorld([callTool("look"), say("Done")]);
  const created = world.host().createSession({ agent: "helper", id: "s1" });

  const metadata = { from: "queue" };
  const options = { id: "q1" };
  await created.followUp({ role: "user", content: "Hello", metadata }, options);
  await created.waitForIdle();

  expect(seen).toEqual([{ session: { id: "s1" }, turn: { id: "q1", metadata } }]);
});

test("metadata of a session can be changed, for the next turn and in every process", async () => {
  const { world, seen } = contextWorld([callTool("look"), say("Done")]);
  const created = world.host().createSession({ agent: "helper", ...session });
  expect(created.metadata).toEqual({ plan: "free" });

  await created.configure({ metadata: { plan: "paid" } });
  expect(created.metadata).toEqual({ plan: "paid" });
  expect((await created.snapshot()).metadata).toEqual({ plan: "paid" });
  await created.close();

  const other = await world.host().open("s1");
  await other.send("Hello").response;
  expect(other.metadata).toEqual({ plan: "paid" });
  expect(seen[0]?.session.metadata).toEqual({ plan: "paid" });
});

test("a resumed turn keeps the metadata of the session that it started with", async () => {
  const { world, seen } = contextWorld([stall(), callTool("look"), say("Done")]);
  const process = mortal(world.repository);
  const first = world.host({ repository: process.repository });
  first.createSession({ agent: "helper", ...session }).send("Hello", turn);
  await world.clock.advance(0);
  process.die();

  const other = await world.host().open("s1");
  await other.configure({ metadata: { plan: "paid" } });
  await world.clock.advance(40_000);

  expect(other.metadata).toEqual({ plan: "paid" });
  expect(seen).toEqual([{ session, turn }]);
});

test("a change that a callback makes to the metadata does not reach the session", async () => {
  const change = defineTool({
    name: "change",
    description: "Changes what it was given",
    input: z.object({}),
    execute(_input, { session: { metadata } }) {
      (metadata as { plan: string }).plan = "paid";
      return "changed";
    },
  });
  const world = createWorld([callTool("change"), say("Done")], [change]);
  const created = world.host().createSession({ agent: "helper", ...session });

  await created.send("Hello").response;

  expect(created.metadata).toEqual({ plan: "free" });
  const result = created.messages.find(({ role }) => role === "tool");
  expect(result).toMatchObject({ isError: true });
});

test("metadata that is not JSON is refused", async () => {
  const { world } = contextWorld([]);
  const created = createSession({ agent: world.agent });

  await expect(
    created.configure({ metadata: { at: new Date() } as unknown as string }),
  ).rejects.toMatchObject({ code: "invalid_input" });
});

test("metadata that is null is metadata", async () => {
  const { world, seen } = contextWorld([callTool("look"), say("Done")]);
  const created = world.host().createSession({ agent: "helper", ...session });
  await created.configure({ metadata: null });

  const message = { role: "user", content: "Hello", metadata: "of the message" } as const;
  await created.send(message, { id: "t1", metadata: null }).response;

  expect(created.metadata).toBeNull();
  expect(seen[0]).toMatchObject({ session: { metadata: null }, turn: { metadata: null } });
});

test("an input that an earlier version stored without its metadata is the same when it is sent again", async () => {
  const { world } = contextWorld([say("Done")]);
  const created = world.host().createSession({ agent: "helper", id: "s1" });
  const sent = { id: "t1", metadata: { from: "phone" } };
  await created.flush();
  await created.configure({ title: "Stored" });
  const { metadata } = sent;
  const messages = [{ role: "user", id: "t1", content: "Hello", metadata }] as const;
  world.repository.post("s1", { v: 1, type: "input", id: "t1", at: 1, messages });

  const { error, text } = await created.send("Hello", sent).response;

  expect(error).toBeUndefined();
  expect(text).toBe("Done");
});
