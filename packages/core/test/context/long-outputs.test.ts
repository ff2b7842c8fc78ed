import { defineTool } from "@capstan/core";
import type { AnyTool, ToolExecution } from "@capstan/core";
import type { ToolMessage } from "@capstan/kernel";
import { RepositoryError } from "@capstan/log";
import { callTool, remoteTool, say, tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { expectSameElsewhere } from "../same-elsewhere.ts";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

const outputs = { maxChars: 1_000 };

/** 500 numbered lines. */
const long = Array.from({ length: 500 }, (_, line) => `line ${line + 1}`).join("\n");

const look = (execute: () => ToolExecution): AnyTool =>
  defineTool({
    name: "look",
    description: "Looks around",
    input: { type: "object" },
    effect: "pure",
    execute,
  });

/** What the model was shown of the one output. */
function shown({ provider }: World): ToolMessage {
  // It is the last message of the last request.
  return provider.requests.at(-1)?.messages.at(-1) as ToolMessage;
}

function textShown(world: World): string {
  const { content } = shown(world);
  return typeof content === "string" ? content : "";
}

async function lookOnce(tool: AnyTool, settings: object = { outputs }): Promise<World> {
  const world = createWorld([callTool("look"), say("Seen")], [tool], settings);
  const session = world.host().createSession({ agent: "helper", id: "s" });
  await session.send("Look", { id: "t" }).response;
  return world;
}

/** How much is shown of a very long output by a model with this window. */
async function charsShown(contextWindow: number): Promise<number> {
  const world = createWorld([callTool("look"), say("Seen")], [look(() => "x".repeat(99_999))]);
  const model = { provider: world.provider, id: "m", facts: { contextWindow } };
  const host = world.host({ agents: [world.agent.with({ model })] });
  await host.createSession({ agent: "helper" }).send("Look").response;
  return textShown(world).length;
}

async function read(world: World): Promise<unknown> {
  const session = await world.host().open("s");
  return session.readOutput("t_1_0");
}

describe("an output that is too long", () => {
  test("is shown with its beginning, its end and a note, cut between lines", async () => {
    const world = await lookOnce(look(() => long));

    const lines = textShown(world).split("\n");
    const note = lines.findIndex((line) => line.startsWith("[…"));
    expect(lines[0]).toBe("line 1");
    expect(lines.at(-1)).toBe("line 500");
    expect(lines[note]).toBe(
      `[… 3,800 of 4,391 characters are left out here (lines 39 to 467 of 500). To read them: read_output with reference "t_1_0" and from: 39, or a text to search for.]`,
    );
    expect([lines[note - 1], lines[note + 1]]).toEqual(["line 38", "line 468"]);
    expect(textShown(world).length).toBeLessThanOrEqual(1_000);
  });

  test("is kept whole by the session, in every process", async () => {
    const world = await lookOnce(look(() => long));

    expect(await read(world)).toBe(long);
    expect(shown(world).kept).toMatchObject({ mediaType: "text/plain", chars: long.length });
  });

  test("is the same in the log, in the events and in the transcript", async () => {
    const world = createWorld([callTool("look"), say("Seen")], [look(() => long)], { outputs });
    const session = world.host().createSession({ agent: "helper" });

    await session.send("Look").response;

    const ended = world
      .events(session.id)
      .find(({ event }) => event.type === "tool_execution_end")?.event;
    expect(session.messages[2]).toEqual(shown(world));
    expect(ended).toMatchObject({ output: shown(world).content });
    await expectSameElsewhere(world, session);
  });

  test("may be the text beside an image, which stays", async () => {
    const content = [{ type: "text", text: "short" }, tinyImage, { type: "text", text: long }];
    const world = await lookOnce(look(() => content));

    expect(shown(world).content).toMatchObject([
      { text: "short" },
      tinyImage,
      { text: expect.stringMatching(/^line 1\n[^]*left out here[^]*line 500$/) },
    ]);
    expect(await read(world)).toEqual(content);
  });

  test("may be JSON", async () => {
    const world = await lookOnce(look(() => ({ lines: long.split("\n") })));

    expect(shown(world).content).toMatch(/^\{"lines":\["line 1",[^]*left out[^]*"line 500"\]\}$/);
    expect(await read(world)).toBe(JSON.stringify({ lines: long.split("\n") }));
  });

  test("may be a failure", async () => {
    const world = await lookOnce(
      look(() => {
        throw new Error(long);
      }),
    );

    expect(shown(world)).toMatchObject({ isError: true, content: expect.stringMatching(/left/) });
    expect(await read(world)).toBe(long);
  });

  test("may come from a tool that streams, and keeps its details", async () => {
    const world = await lookOnce(
      look(async function* () {
        yield { type: "delta", delta: "line" };
        yield { type: "complete", output: long, details: { lines: 500 } };
      }),
    );

    expect(shown(world)).toMatchObject({
      content: expect.stringMatching(/left out/),
      details: { lines: 500 },
    });
    expect(await read(world)).toBe(long);
  });

  test("may be the answer of somebody outside", async () => {
    const world = createWorld([callTool("remote"), say("Seen")], [remoteTool()], { outputs });
    const session = world.host().createSession({ agent: "helper", id: "s" });
    await session.send("Look", { id: "t" }).response;

    await session.send([{ toolCallId: "t_1_0", output: long }]).response;

    expect(shown(world).content).toMatch(/left out/);
    expect(await read(world)).toBe(long);
  });

  test("is what a hook made of it", async () => {
    const after = () => ({ isError: false, output: `${long}\nlast` });
    const world = await lookOnce(
      look(() => "short"),
      { outputs, hooks: { after } },
    );

    expect(shown(world).content).toMatch(/left out[^]*last$/);
    expect(await read(world)).toBe(`${long}\nlast`);
  });

  test("is not cut inside of a character", async () => {
    const world = await lookOnce(look(() => "😀".repeat(2_000)));

    const content = textShown(world);
    expect(content.isWellFormed()).toBe(true);
    expect(await read(world)).toBe("😀".repeat(2_000));
  });

  test.each(["\ud83d".repeat(2_000), `\ufeff${long}`])(
    "comes back as it was where it is no sound text, or begins with a mark: %#",
    async (output) => {
      const world = await lookOnce(look(() => output));

      expect(await read(world)).toBe(output);
    },
  );
});

test.each([
  ["a text", "x".repeat(1_000)],
  ["parts", [{ type: "text", text: "x".repeat(1_000) }]],
])(
  "an output of %s as long as the limit stays as it is, and nothing is stored",
  async (_, output) => {
    const world = await lookOnce(look(() => output));

    expect(shown(world)).toMatchObject({ content: output });
    expect(shown(world).kept).toBeUndefined();
  },
);

test("by default outputs are long, and shorter where the model's window is small", async () => {
  expect(await charsShown(200_000)).toBeGreaterThan(69_000);
  expect(await charsShown(30_000)).toBeLessThan(20_001);
});

test("where the store does not take it, the output is cut, the model is told, and the turn goes on", async () => {
  const world = createWorld([callTool("look"), say("Seen")], [look(() => long)], { outputs });
  const repository = {
    ...world.repository,
    putBlob: () => {
      throw new RepositoryError("unavailable", "s", "The disk is full");
    },
  };
  const session = world.host({ repository }).createSession({ agent: "helper" });

  const { text } = await session.send("Look").response;

  expect(text).toBe("Seen");
  expect(shown(world).content).toMatch(/left out here[^]*could not be stored/);
  expect(shown(world).kept).toBeUndefined();
});
