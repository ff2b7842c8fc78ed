import type { DocumentPart, ImagePart, ToolContract } from "@capstan/kernel";
import { callTool, runToEnd, say, scriptedProvider, tinyImage } from "@capstan/testing";
import { expect, test } from "vitest";

const camera = (output: () => readonly (ImagePart | DocumentPart)[]): ToolContract => ({
  name: "camera",
  description: "A picture",
  inputSchema: { type: "object" },
  execute: output,
});
const script = () => scriptedProvider([callTool("camera"), say("I see")]);

test("media that the check lets pass is given to the model as it is", async () => {
  const provider = script();

  await runToEnd({
    provider,
    tools: [camera(() => [tinyImage])],
    context: { checkMedia: () => undefined },
  });

  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content: [tinyImage] });
});

test("the model, the events and the result have the reason instead of other media", async () => {
  const provider = script();

  const turn = await runToEnd({
    provider,
    tools: [camera(() => [tinyImage])],
    context: { checkMedia: (part) => `${part.mediaType} is not for me.` },
  });

  const content = [{ type: "text", text: "(The image was left out: image/png is not for me.)" }];
  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content });
  expect(turn.recorder.ofType("tool_execution_end")).toMatchObject([{ output: content }]);
  expect(turn.messages[1]).toMatchObject({ content, isError: false });
});

test("what the after hook has put in is looked at, too", async () => {
  const provider = script();

  await runToEnd({
    provider,
    tools: [camera(() => [])],
    dispatch: { after: () => ({ isError: false, output: [tinyImage] }) },
    context: { checkMedia: () => "no." },
  });

  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
    content: [{ text: "(The image was left out: no.)" }],
  });
});

test("a check that fails lets nothing pass", async () => {
  const provider = script();

  await runToEnd({
    provider,
    tools: [camera(() => [tinyImage])],
    context: {
      checkMedia: () => {
        throw new Error("out of order");
      },
    },
  });

  expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
    content: [{ text: "(The image was left out: out of order)" }],
  });
});
