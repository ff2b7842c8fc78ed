import type { AgentInit, Session } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { SmallWorld } from "./compaction-world.ts";
import { smallWorld, summary } from "./compaction-world.ts";

/** More than fits, if the model is shown it. */
const note = { role: "custom", id: "n1", kind: "note", data: "word ".repeat(8_000) } as const;

const asText: AgentInit["convertToLlm"] = (messages) =>
  messages.map((message): ChatMessage =>
    message.role === "custom"
      ? { role: "user", id: message.id, content: JSON.stringify(message.data) }
      : message,
  );

async function playedIn(world: SmallWorld): Promise<Session> {
  const session = world.session();
  await session.send([note, { role: "user", content: "Hello" }]).response;
  await session.send("How are you?").response;
  return session;
}

test("custom messages that the model is shown count when the context is compacted", async () => {
  const script = [say("Hello!"), summary, say("Fine")];
  const world = smallWorld(script, { settings: { convertToLlm: asText } });

  const session = await playedIn(world);

  expect(world.entriesOf(session, "compaction")).toHaveLength(1);
});

test("custom messages that it is not shown do not count", async () => {
  const world = smallWorld([say("Hello!"), say("Fine")]);

  const session = await playedIn(world);

  expect(world.entriesOf(session, "compaction_started")).toEqual([]);
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Fine" }] });
});
