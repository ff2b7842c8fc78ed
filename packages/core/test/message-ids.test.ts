import type { Session } from "@capstan/core";
import { callTool, checkTranscript, echoTool, say } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const steps = 40;

function chatWorld() {
  const script = Array.from({ length: steps }, () => [callTool("echo", {}), say("Yes")]).flat();
  return createWorld(script, [echoTool({ effect: "pure" })]);
}

function idsOf({ messages }: Session): string[] {
  return messages.map(({ id }) => id);
}

test.each(["chat_1", "chat_12", "_1", "a-b_0"])(
  "a turn cannot be named %s, as replies are named so",
  async (id) => {
    const session = chatWorld().host().createSession({ agent: "helper" });
    await session.send("Hello", { id: "chat" }).response;

    const { error } = await session.send("Hello again", { id }).response;

    expect(error).toMatchObject({ code: "invalid_input" });
    await expect(session.steer("Hm", { id })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(session.followUp("Hm", { id })).rejects.toMatchObject({ code: "invalid_input" });
    const message = { role: "user", id, content: "Hm" } as const;
    expect((await session.send([message]).response).error).toMatchObject({ code: "invalid_input" });
  },
);

test("a turn cannot have the id of a message that another turn has brought", async () => {
  const session = chatWorld().host().createSession({ agent: "helper" });
  const two = ["One", "Two"].map((content) => ({ role: "user", content }) as const);
  await session.send(two, { id: "list" }).response;
  const [, second = ""] = idsOf(session);

  const { error } = await session.send("Three", { id: second }).response;

  expect(second).toBe("list-2");
  expect(error).toMatchObject({ code: "id_conflict" });
  await expect(session.steer("Hm", { id: second })).rejects.toMatchObject({ code: "id_conflict" });
});

/** Ids that are made to be mistaken for others. */
const hostileId = fc.oneof(
  fc.constantFrom("a", "b", "a-2", "a_1", "a_2", "a_1_0", "b_1", "a__2", "a-2_1", "_1", "1"),
  fc
    .array(fc.constantFrom("a", "_", "-", "1", "2", "0"), { minLength: 1, maxLength: 6 })
    .map((letters) => letters.join("")),
);

const word = fc.record({
  kind: fc.constantFrom("send", "send two", "steer", "followUp", "named"),
  id: hostileId,
  messageId: hostileId,
});

test("whatever callers name what they say, no two messages have one id, and a fork is cut where it was asked", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (words) => {
      const session = chatWorld().host().createSession({ agent: "helper" });
      for (const { kind, id, messageId } of words) {
        const one = { role: "user", content: "Hm" } as const;
        if (kind === "steer" || kind === "followUp") {
          // Ids that are taken are refused.
          await session[kind]("Hm", { id }).catch(() => {});
        } else {
          const input = {
            send: "Hm",
            "send two": [one, one],
            named: [one, { ...one, id: messageId }],
          };
          await session.send(input[kind as "send"], { id }).response;
        }
        await session.waitForIdle();
      }

      const ids = idsOf(session);
      expect(new Set(ids).size).toBe(ids.length);
      expect(checkTranscript(session.messages)).toEqual([]);
    }),
    { numRuns: 150 },
  );
}, 60_000);
