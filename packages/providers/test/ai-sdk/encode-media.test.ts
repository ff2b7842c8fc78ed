import type { AssistantPart, ChatMessage, ModelFacts, ToolMessage } from "@capstan/kernel";
import { expect, test } from "vitest";
import { askedWith, reply, tool } from "./models.ts";

async function promptFor(messages: readonly ChatMessage[], modelFacts?: ModelFacts) {
  const options = { ...(modelFacts && { modelFacts }) };
  const asked = await askedWith({ messages, tools: [tool], options });
  return asked.prompt;
}

const picture = { type: "image", mediaType: "image/png", data: "AQID" } as const;

test.each<[string, ModelFacts | undefined, object, object]>([
  ["a picture", undefined, picture, { type: "file", data: { type: "data", data: "AQID" } }],
  [
    "a picture for a model that sees none",
    { input: ["text"] },
    picture,
    { text: "[an image of type image/png is omitted: it cannot be shown to this model]" },
  ],
  [
    "a picture that few can see",
    undefined,
    { ...picture, mediaType: "image/tiff" },
    { text: "[an image of type image/tiff is omitted: it cannot be shown to this model]" },
  ],
  [
    "a paper",
    undefined,
    { type: "document", mediaType: "application/pdf", data: "AQID", name: "a.pdf" },
    { type: "file", mediaType: "application/pdf", filename: "a.pdf" },
  ],
  [
    "a text in a file",
    undefined,
    { type: "document", mediaType: "text/markdown", data: btoa("# Hi"), name: "a.md" },
    { type: "text", text: "a.md:\n\n# Hi" },
  ],
  [
    "a text that is none",
    undefined,
    { type: "document", mediaType: "text/plain", data: "%%%" },
    { text: "[a document of type text/plain is omitted: it cannot be shown to this model]" },
  ],
])("%s is shown as far as a model can see it", async (_, facts, part, shown) => {
  // Each of them is a part of a user's message.
  const content = [{ type: "text", text: " " }, part] as (typeof picture)[];

  const prompt = await promptFor([{ role: "user", id: "u", content }], facts);

  expect(prompt).toMatchObject([{ role: "user", content: [shown] }]);
});

test("a failure is told as one, also with pictures", async () => {
  const call: AssistantPart = { type: "tool_call", id: "k", name: "echo", input: {} };
  const named = { role: "tool", id: "k", toolCallId: "k", toolName: "echo" } as const;
  const hello: ChatMessage = { role: "user", id: "u", content: "Hello" };
  const outputs = async (content: ToolMessage["content"]): Promise<unknown> => {
    const prompt = await promptFor([hello, reply([call]), { ...named, content, isError: true }]);
    return prompt[2]?.role === "tool" && prompt[2].content[0];
  };

  expect(await outputs(" ")).toMatchObject({
    output: { value: "The tool failed without a message." },
  });
  expect(await outputs([{ type: "text", text: "No" }])).toMatchObject({
    output: { type: "error-text", value: "No" },
  });
  expect(await outputs([picture])).toMatchObject({
    output: { type: "content", value: [{ text: "The tool failed." }, { type: "file" }] },
  });
});
