import { defineTool, doneTool, forkSession } from "@capstan/core";
import type { AnyTool } from "@capstan/core";
import type { JsonValue, ToolContent, ToolMessage } from "@capstan/kernel";
import { callTool, say, tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

const long = Array.from({ length: 5_000 }, (_, line) => `line ${line + 1}`).join("\n");

const look = (output: ToolContent, name = "look"): AnyTool =>
  defineTool({
    name,
    description: "Looks around",
    input: { type: "object" },
    effect: "pure",
    ephemeral: 1,
    execute: () => output,
  });

const outputs = { maxChars: 1_000 };

const reads = (input: Record<string, JsonValue>) => callTool("read_output", input);

/** The last result that the model was given. */
function lastResult({ provider }: World): ToolMessage {
  // The last request is made for it.
  return provider.requests.at(-1)?.messages.at(-1) as ToolMessage;
}

function toolNames({ provider }: World): readonly (readonly string[])[] {
  return provider.requests.map(({ tools }) => tools);
}

describe("what is left of a long output", () => {
  test("can be read by the model, a page at a time", async () => {
    const script = [
      callTool("look"),
      reads({ reference: "t_1_0", from: 39 }),
      reads({ reference: "t_1_0", from: 156 }),
      say("Seen"),
    ];
    const world = createWorld(script, [look(long)], { outputs });

    await world.host().createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

    const [first, second] = world.provider.requests.slice(2).map(({ messages }) => messages.at(-1));
    expect(first).toMatchObject({
      isError: false,
      content: expect.stringMatching(
        /^\(Lines 39 to 155 of 5,000. Continue with from: 156.\)\nline 39\n/,
      ),
    });
    expect(second).toMatchObject({ content: expect.stringContaining("\nline 156\n") });
  });

  test("is not shortened again when it is read, however little may be shown", async () => {
    const script = [callTool("look"), reads({ reference: "t_1_0" }), say("Seen")];
    const world = createWorld(script, [look(long)], { outputs: { maxChars: 100 } });

    await world.host().createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

    expect(lastResult(world).content).toMatch(/^\(Lines 1 to 123 of 5,000[^…]*line 123\n$/);
    expect(lastResult(world).kept).toBeUndefined();
  });

  test("can be looked through for a text", async () => {
    const script = [callTool("look"), reads({ reference: "t_1_0", text: "4321" }), say("Seen")];
    const world = createWorld(script, [look(long)], { outputs });

    await world.host().createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

    expect(lastResult(world).content).toBe(
      "(Found in 1 line of 5,000.)\n4319- line 4319\n4320- line 4320\n4321: line 4321\n4322- line 4322\n4323- line 4323",
    );
  });

  test("can be read in another process, and in a fork, which has a copy", async () => {
    const script = [
      callTool("look"),
      say("Seen"),
      reads({ reference: "t_1_0", from: 4_999 }),
      say("There"),
      reads({ reference: "t_1_0", from: 4_999 }),
      say("Here"),
    ];
    const world = createWorld(script, [look(long)], { outputs });
    const session = world.host().createSession({ agent: "helper" });
    await session.send("Look", { id: "t" }).response;

    const elsewhere = await world.host().open(session.id);
    await elsewhere.send("Read").response;
    const inProcess = lastResult(world).content;
    const fork = await forkSession(session);
    world.repository.delete(session.id);
    await fork.send("Read").response;

    expect(inProcess).toBe("(Lines 4,999 to 5,000 of 5,000.)\nline 4999\nline 5000");
    expect(lastResult(world).content).toBe(inProcess);
  });

  test("is not another session's to read", async () => {
    const script = [callTool("look"), say("Seen"), reads({ reference: "t_1_0" }), say("Nothing")];
    const world = createWorld(script, [look(long)], { outputs });
    const host = world.host();
    await host.createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

    await host.createSession({ agent: "helper" }).send("Read").response;

    expect(lastResult(world)).toMatchObject({
      isError: true,
      content: 'There is no output "t_1_0", nor any other yet.',
    });
  });
});

describe("an output that made room", () => {
  test("can be read again by the reference in its place", async () => {
    const tool = look([{ type: "text", text: "The screen" }, tinyImage]);
    const script = [
      ...Array.from({ length: 4 }, () => callTool("look")),
      reads({ reference: "t_1_0" }),
      say("Seen"),
    ];
    const world = createWorld(script, [tool]);

    await world.host().createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

    expect(world.provider.requests[4]?.messages[2]).toMatchObject({
      content:
        "(This output was left out to save space: 10 characters, an image (image/png). Reference: t_1_0)",
    });
    expect(lastResult(world).content).toEqual([
      { type: "text", text: "(Lines 1 to 1 of 1.)\nThe screen" },
      tinyImage,
    ]);
  });

  test("comes back as it is where it is an image alone", async () => {
    const world = createWorld(
      [callTool("look"), reads({ reference: "t_1_0" }), say("Seen")],
      [look([tinyImage])],
    );

    await world.host().createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

    expect(lastResult(world).content).toEqual([tinyImage]);
  });
});

test("of an unknown reference the model is told what there is", async () => {
  const script = [callTool("look"), reads({ reference: "t_1_1" }), say("Sorry")];
  const world = createWorld(script, [look(long)], { outputs });

  await world.host().createSession({ agent: "helper" }).send("Look", { id: "t" }).response;

  expect(lastResult(world)).toMatchObject({
    isError: true,
    content: 'There is no output "t_1_1". Near to it: t_1_0.',
  });
});

test("of an output that the store has lost the model is told so", async () => {
  const world = createWorld(
    [callTool("look"), reads({ reference: "t_1_0" }), say("Lost")],
    [look(long)],
    { outputs },
  );
  const repository = { ...world.repository, getBlob: () => undefined };
  const session = world.host({ repository }).createSession({ agent: "helper" });

  await session.send("Look", { id: "t" }).response;

  expect(lastResult(world)).toMatchObject({
    isError: true,
    content: expect.stringContaining("no longer stored"),
  });
  await expect(session.readOutput("t_1_0")).rejects.toMatchObject({ code: "invalid_input" });
  await expect(session.readOutput("x")).rejects.toMatchObject({ code: "invalid_input" });
});

async function sends(tools: readonly AnyTool[], settings: object = {}): Promise<World> {
  const world = createWorld([say("Hi"), say("Hi")], tools, settings);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.send("Hello").response;
  return world;
}

describe("the tool read_output", () => {
  test("is there from the first request on, and nothing else is recorded of the tools", async () => {
    const world = await sends([look("")]);

    expect(toolNames(world)).toEqual([
      ["look", "read_output"],
      ["look", "read_output"],
    ]);
    const [session] = world.repository.list().sessions;
    const entries = world.entries(session?.id ?? "");
    expect(entries.filter(({ type }) => type === "prompt")).toHaveLength(1);
  });

  test("is not there where there is nothing to read, or it is not wanted", async () => {
    expect(toolNames(await sends([]))[0]).toEqual([]);
    expect(toolNames(await sends([doneTool()]))[0]).toEqual(["done"]);
    expect(toolNames(await sends([look("")], { outputs: { readTool: false } }))[0]).toEqual([
      "look",
    ]);
  });

  test("gives way to one of the same name, and then no note speaks of it", async () => {
    const own = look("mine", "read_output");
    const script = [callTool("look"), callTool("read_output"), say("Mine")];
    const world = createWorld(script, [look(long), own], { outputs });

    await world.host().createSession({ agent: "helper" }).send("Hello", { id: "t" }).response;

    expect(toolNames(world)[0]).toEqual(["look", "read_output"]);
    expect(lastResult(world).content).toBe("mine");
    expect(world.provider.requests[1]?.messages.at(-1)).toMatchObject({
      content: expect.stringMatching(/of 5,000\)\. Reference: t_1_0\]/),
    });
  });

  test("is also there for an agent without a session", async () => {
    const world = createWorld([say("Hi")], [look("")]);

    await world.agent.run("Hello");

    expect(toolNames(world)).toEqual([["look", "read_output"]]);
  });

  test("is refused a call that its schema does not let pass", async () => {
    const world = createWorld([reads({ reference: "a", from: 0 }), say("Sorry")], [look("")]);

    await world.host().createSession({ agent: "helper" }).send("Hello").response;

    expect(lastResult(world).content).toMatch(/Not run: invalid input for "read_output"\. from/);
  });
});
