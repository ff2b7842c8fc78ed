import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld, errorOf } from "./world.ts";

const path = "/api/agent/execute";
const picture = { type: "image", mediaType: "image/png", url: "https://files.example/a.png" };
const paper = {
  type: "document",
  mediaType: "application/pdf",
  url: "https://files.example/b.pdf",
};
const message = { role: "user", content: [{ type: "text", text: "Look" }, picture] };

test.each([
  ["the input", { input: [picture] }],
  ["a message", { input: message }],
  ["one of several messages", { input: [message] }],
  ["the context", { input: "Look", context: { messages: [message] } }],
  ["the result of a call", { input: [{ toolCallId: "c", output: [picture] }] }],
])("a client's picture by URL in %s is refused", async (_, body) => {
  const world = await createWorld([]);

  const refused = await errorOf(await world.post(path, body));

  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
  expect(world.provider.requests).toEqual([]);
});

test("a client's document by URL is refused as well", async () => {
  const world = await createWorld([]);

  const refused = await errorOf(await world.post(path, { input: [paper] }));

  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
});

test("a client's picture by URL in an answer to a call is refused", async () => {
  const world = await createWorld([]);
  const answers = [{ toolCallId: "c", ok: true, output: [picture] }];

  const refused = await errorOf(await world.post("/api/agent/session/s/answers", { answers }));

  expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
});

test("a client's picture by URL reaches the model if the server allows it", async () => {
  const world = await createWorld([say("I see")], { server: { allowMediaUrls: true } });

  await world.execute({ input: message });

  expect(world.provider.requests[0]?.messages[0]).toMatchObject({ content: message.content });
});
