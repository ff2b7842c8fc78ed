/** One image that the provider does not accept must not make every later request fail. */
import type { ImagePart, PartReference } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { callTool, failBefore, say, tinyImage } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { createWorld } from "../world.ts";
import { expectSameElsewhere } from "../same-elsewhere.ts";

/** A vendor that names the part it will not take. */
function rejects(rejected: PartReference): ScriptItem {
  const message = `messages.0.content.${rejected.part}.image: Could not process image`;
  return failBefore(new ProviderError("invalid_request", message, { rejected }));
}

const screenshot = (image: ImagePart) => ({
  name: "screenshot",
  description: "What is on the screen",
  inputSchema: { type: "object" },
  execute: () => [{ type: "text", text: "The screen" }, image] as const,
});

const large: ImagePart = {
  ...tinyImage,
  data: `${tinyImage.data.slice(0, -4)}${"AAAA".repeat(7_000_000)}`,
};
const leftOut = { type: "text", text: expect.stringContaining("left out") };

describe("media that is not accepted", () => {
  test("an image that is too large is refused at the door, and the session is as it was", async () => {
    const world = createWorld([say("Hi")]);
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Hello").response;

    const { status, error } = await session.send([large]).response;

    expect({ status, error }).toMatchObject({
      status: "error",
      error: { code: "invalid_input", message: expect.stringContaining("20,000,000") },
    });
    expect(session.messages).toHaveLength(2);
    expect(world.provider.requests).toHaveLength(1);
  });

  test("steering and follow-ups are looked at in the same way", async () => {
    const world = createWorld([]);
    const session = world.host().createSession({ agent: "helper" });
    const forged = { ...tinyImage, mediaType: "image/jpeg" };

    const refusals = await Promise.allSettled([
      session.steer([forged]),
      session.followUp([forged]),
    ]);

    expect(refusals).toMatchObject([
      { status: "rejected", reason: { code: "invalid_input" } },
      { status: "rejected", reason: { code: "invalid_input" } },
    ]);
    expect(session.queued).toEqual([]);
  });

  test("the model reads why an image of a tool is left out, and the turn goes on", async () => {
    const world = createWorld([callTool("screenshot"), say("I see")], [screenshot(large)]);
    const session = world.host().createSession({ agent: "helper" });

    const { text } = await session.send("Look").response;

    expect(text).toBe("I see");
    expect(world.provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      isError: false,
      content: [{ text: "The screen" }, leftOut],
    });
  });

  test("a part that the vendor names is left out from then on, in this turn, the next, and elsewhere", async () => {
    const world = createWorld([
      rejects({ messageId: "turn", part: 1 }),
      say("It shows nothing"),
      say("Still nothing"),
      say("Nor here"),
    ]);
    const session = world.host().createSession({ agent: "helper" });
    const content = [{ type: "text", text: "What is this?" }, tinyImage] as const;

    const first = await session.send(content, { id: "turn" }).response;
    const second = await session.send("And now?").response;
    const elsewhere = await world.host().open(session.id);
    const third = await elsewhere.send("And here?").response;

    expect([first.text, second.text, third.text]).toEqual([
      "It shows nothing",
      "Still nothing",
      "Nor here",
    ]);
    expect(world.provider.requests[0]?.messages[0]).toMatchObject({ content });
    expect(world.provider.requests.slice(1).map(({ messages }) => messages[0])).toMatchObject(
      Array(3).fill({ content: [content[0], leftOut] }),
    );
  });

  test("the transcript keeps the part: it is only no longer shown to the model", async () => {
    const world = createWorld([rejects({ messageId: "turn", part: 0 }), say("Nothing")]);
    const session = world.host().createSession({ agent: "helper" });

    await session.send([tinyImage], { id: "turn" }).response;

    expect(session.messages[0]).toMatchObject({ content: [tinyImage] });
    expect(world.entries(session.id).map(({ type }) => type)).toContain("quarantine");
    await expectSameElsewhere(world, session);
  });

  test("of several bad parts, each is named and left out in turn", async () => {
    const world = createWorld([
      rejects({ messageId: "turn", part: 0 }),
      rejects({ messageId: "turn", part: 2 }),
      say("One is left"),
    ]);
    const session = world.host().createSession({ agent: "helper" });

    const { text } = await session.send([tinyImage, tinyImage, tinyImage], { id: "turn" }).response;

    expect(text).toBe("One is left");
    expect(world.provider.requests[2]?.messages[0]).toMatchObject({
      content: [leftOut, tinyImage, leftOut],
    });
  });

  test("a part that is not there, or is named again, ends the turn with the vendor's error", async () => {
    const world = createWorld([
      rejects({ messageId: "turn", part: 0 }),
      rejects({ messageId: "turn", part: 0 }),
    ]);
    const session = world.host().createSession({ agent: "helper" });

    const { status, error } = await session.send([tinyImage], { id: "turn" }).response;

    expect({ status, error }).toMatchObject({
      status: "error",
      error: { code: "invalid_request", rejected: { messageId: "turn", part: 0 } },
    });
  });

  test("an agent without a session leaves the part out for the turn", async () => {
    const world = createWorld([rejects({ messageId: "turn", part: 0 }), say("Nothing")]);

    const { text } = await world.agent.runTurn({ id: "turn", input: [tinyImage] }).response;

    expect(text).toBe("Nothing");
    expect(world.provider.requests[1]?.messages[0]).toMatchObject({ content: [leftOut] });
  });
});
