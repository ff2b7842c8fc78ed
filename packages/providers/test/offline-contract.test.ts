import type { ChatMessage } from "@capstan/kernel";
import { offlineProvider } from "@capstan/providers/offline";
import { expect, test } from "vitest";
import { looked, lookingTools, prompt, replyTo, requestOf } from "./offline-reply.ts";

const question = prompt("What is in this folder?");

test("it names itself and states a context window", () => {
  const provider = offlineProvider();

  expect(provider).toMatchObject({ id: "offline", contextWindow: 200_000 });
});

test("text comes word by word and arguments in small pieces", async () => {
  const { parts } = await replyTo([prompt("Read path/to/a-file.ts")]);

  const deltas = parts.flatMap((part) => ("delta" in part ? [part.delta] : []));
  expect(deltas.length).toBeGreaterThan(15);
  expect(Math.max(...deltas.map(({ length }) => length))).toBeLessThan(25);
});

test("the same request gives the same parts", async () => {
  const messages = [question, ...looked("ls", ".", "README.md\nAGENTS.md")];

  const [first, second] = await Promise.all([replyTo(messages), replyTo(messages)]);

  expect(first.parts).toEqual(second.parts);
});

test("no usage is reported: unknown is not zero", async () => {
  const { parts } = await replyTo([question]);

  expect(parts.filter((part) => part.type === "usage" || "usage" in part)).toEqual([]);
});

test("no tool is called where the tool choice is none, of the step or of the turn", async () => {
  const seen = [question, ...looked("ls", ".", "README.md\nsrc/")];

  const replies = await Promise.all([
    replyTo(seen, { toolChoice: "none" }),
    replyTo(seen, { options: { toolChoice: "none" } }),
    replyTo([question], { toolChoice: "none" }),
  ]);

  expect(replies.flatMap(({ calls }) => calls)).toEqual([]);
  expect(replies[0]?.text).toBe("This folder contains 1 folder, 1 file: README.md, src/.");
  expect(replies[2]?.text).toContain("I have no tools, so I cannot look at anything.");
});

test("only the tool that was chosen is called", async () => {
  const options = { toolChoice: { tool: "read" } } as const;

  const reply = await replyTo([question], { options });

  expect(reply.calls).toEqual([]);
  expect(reply.text).toContain("None of my tools can list a folder (ls)");
});

test("without tools it says so and stops", async () => {
  const reply = await replyTo([question], { tools: [] });

  expect(reply.text).toMatch(/^No language model is connected.*\n\nI have no tools/);
  expect(reply.calls).toEqual([]);
});

test("without read the listing alone is summed up", async () => {
  const tools = lookingTools.filter(({ name }) => name === "ls");

  const reply = await replyTo([question, ...looked("ls", ".", "README.md")], { tools });

  expect(reply.text).toBe("This folder contains 1 file: README.md.");
});

test("only the turn under way counts: an earlier listing is not used again", async () => {
  const earlier = [question, ...looked("ls", ".", "old.txt")];

  const reply = await replyTo([...earlier, prompt("What is in this folder now?")]);

  expect(reply.text).toMatch(/^No language model is connected/);
  expect(reply.calls).toEqual([["ls", { path: "." }]]);
});

test("a message in the user's place does not start a turn", async () => {
  const closing: ChatMessage = { role: "user", id: "c", content: "Sum up.", source: "closing" };
  const seen = [question, ...looked("ls", ".", "a.txt"), closing];

  const reply = await replyTo(seen, { toolChoice: "none" });

  expect(reply.text).toBe("This folder contains 1 file: a.txt.");
});

test("parts of a message are read, and a request without any prompt is no obstacle", async () => {
  const parts = { type: "text", text: "Read a.txt" } as const;

  const withParts = await replyTo([{ role: "user", id: "u", content: [parts] }]);
  const withNothing = await replyTo([]);

  expect(withParts.calls).toEqual([["read", { path: "a.txt" }]]);
  expect(withNothing.calls).toEqual([["ls", { path: "." }]]);
});

test("the stream ends with the reason of the abort when the signal fires", async () => {
  const controller = new AbortController();
  const stream = offlineProvider().stream(requestOf([question], { signal: controller.signal }));

  const reading = (async () => {
    for await (const part of stream) {
      if (part.type === "text_delta") controller.abort(new Error("the user left"));
    }
  })();

  await expect(reading).rejects.toThrow("the user left");
});
