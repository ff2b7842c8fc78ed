/** Steering and follow-up modes, and the controls of the queues. */
import type { Session, SessionSettings } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { callTool, deferredTool, echoTool, say, wait } from "@capstan/testing";
import type { RecordedRequest } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

/** What of these texts each request ends with that the one before it had not. */
function newTexts(requests: readonly RecordedRequest[]): string[][] {
  return requests.map(({ messages }, place) => {
    const before = requests[place - 1]?.messages ?? [];
    return messages.slice(before.length).flatMap(textOfUser);
  });
}

function textOfUser(message: ChatMessage): string[] {
  return message.role === "user" && typeof message.content === "string" ? [message.content] : [];
}

interface Busy {
  readonly world: World;
  readonly session: Session;
  /** Lets the turn go on, and waits for all that follows. */
  finish(): Promise<void>;
}

/** A session whose turn waits in a tool, with two more steps before its answer. */
async function busyInTool(settings: SessionSettings): Promise<Busy> {
  const tool = deferredTool();
  const script = [callTool("deferred"), callTool("echo"), callTool("echo"), say("Done")];
  const world = createWorld([...script, say("Next"), say("Last")], [tool, echoTool()]);
  const session = world.host().createSession({ agent: "helper", config: settings });
  session.send("Go");
  const [call] = await tool.whenStarted();
  return {
    world,
    session,
    finish: async () => {
      tool.resolve(call?.toolCallId ?? "", "ok");
      await session.waitForIdle();
    },
  };
}

test.each<[mode: string, settings: SessionSettings, texts: string[][]]>([
  ["by default", {}, [["Go"], ["One"], ["Two"], []]],
  ["one-at-a-time", { steeringMode: "one-at-a-time" }, [["Go"], ["One"], ["Two"], []]],
  ["all", { steeringMode: "all" }, [["Go"], ["One", "Two"], [], []]],
])("steering mode %s: what reaches the model at each boundary", async (_, settings, texts) => {
  const { world, session, finish } = await busyInTool(settings);

  await session.steer("One");
  await session.steer("Two");
  await finish();

  expect(newTexts(world.provider.requests)).toEqual(texts);
});

test.each<[mode: string, settings: SessionSettings, texts: string[][]]>([
  ["by default", {}, [["Go"], ["One"], ["Two"]]],
  ["one-at-a-time", { followUpMode: "one-at-a-time" }, [["Go"], ["One"], ["Two"]]],
  ["all", { followUpMode: "all" }, [["Go"], ["One", "Two"]]],
])("follow-up mode %s: what each turn starts with", async (_, config, texts) => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("Done")], say("Next"), say("Last")]);
  const session = world.host().createSession({ agent: "helper", config });
  session.send("Go");

  await session.followUp("One");
  await session.followUp("Two");
  open.resolve();
  await session.waitForIdle();

  expect(newTexts(world.provider.requests)).toEqual(texts);
});

test("modes: one that is set while a turn runs holds from its next boundary on, in every host", async () => {
  const { world, session, finish } = await busyInTool({ steeringMode: "one-at-a-time" });
  await session.steer("One");
  await session.steer("Two");

  await (await world.host().open(session.id)).configure({ steeringMode: "all" });
  await finish();

  expect(newTexts(world.provider.requests)[1]).toEqual(["One", "Two"]);
});

test("modes: the mode of one queue is not that of the other", async () => {
  const { world, session, finish } = await busyInTool({
    steeringMode: "all",
    followUpMode: "one-at-a-time",
  });

  await Promise.all([session.steer("One"), session.steer("Two")]);
  await Promise.all([session.followUp("Three"), session.followUp("Four")]);
  await finish();

  const texts = newTexts(world.provider.requests).filter((list) => list.length > 0);
  expect(texts).toEqual([["Go"], ["One", "Two"], ["Three"], ["Four"]]);
});

test.each<[queue: "steering" | "followUp" | "all", cleared: string[], left: string[]]>([
  ["steering", ["s1"], ["f1"]],
  ["followUp", ["f1"], ["s1"]],
  ["all", ["s1", "f1"], []],
])("clear %s: what is taken back never reaches the model", async (queue, cleared, left) => {
  const { session, finish } = await busyInTool({});
  await session.steer("Left", { id: "s1" });
  await session.followUp("Right", { id: "f1" });

  const clearing = session.clearQueue(queue);
  await finish();

  await expect(clearing).resolves.toEqual(cleared);
  const ids = session.messages.map(({ id }) => id);
  expect(["s1", "f1"].filter((id) => ids.includes(id))).toEqual(left);
  expect(session.queued).toEqual([]);
});
