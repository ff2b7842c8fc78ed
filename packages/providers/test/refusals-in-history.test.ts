import type { AssistantMessage, ChatMessage, JsonValue, Origin } from "@capstan/kernel";
import { say } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { openai } from "../src/openai.ts";
import { bodyFor as chatBodyFor, chatOrigin } from "./chat/requests.ts";
import { refusalsOf, turnWith } from "./emulated-turns.ts";
import { bodyFor, gptOrigin } from "./openai/requests.ts";

const user: ChatMessage = { role: "user", id: "u1", content: "Hello" };
const claude: Origin = { provider: "anthropic", api: "anthropic-messages", model: "claude-opus-5" };

function refused(origin?: Origin, providerData?: JsonValue): AssistantMessage {
  const part = {
    type: "refusal",
    text: "No",
    ...(providerData !== undefined && { providerData }),
  } as const;
  const stopReason = "content-filter";
  return { role: "assistant", id: "a1", content: [part], stopReason, ...(origin && { origin }) };
}

test.each<[string, AssistantMessage]>([
  ["of another vendor", refused(claude)],
  ["of nobody known", refused()],
  ["of its own without an id", refused(gptOrigin("gpt-5.5"))],
])("a refusal %s goes to Responses as a refusal", (_, message) => {
  const { input } = bodyFor("gpt-5.5", { messages: [user, message, user] });

  expect(input[1]).toEqual({
    type: "message",
    role: "assistant",
    content: [{ type: "refusal", refusal: "No" }],
  });
});

test("an emulated OpenAI takes a refusal that it never made", async () => {
  await using gpt = await openAiResponsesEmulator([say("Fine.")]);
  const messages = [user, refused(claude), { ...user, id: "u2" }];

  await turnWith({ vendor: openai, model: "gpt-5.5", url: gpt.url, messages });

  expect(refusalsOf(gpt)).toEqual([]);
});

test("a refusal goes back to the server of Chat Completions that refused", () => {
  const { messages } = chatBodyFor("a-model", { messages: [user, refused(chatOrigin("a-model"))] });

  expect(messages[1]).toEqual({
    role: "assistant",
    content: [{ type: "refusal", refusal: "No" }],
  });
});

test.each<[string, AssistantMessage]>([
  ["A refusal of others", refused(claude)],
  ["An explanation of ours", refused(chatOrigin("a-model"), { isExplanation: true })],
])("%s: a text to a server of Chat Completions, which may not know the word", (_, message) => {
  const { messages } = chatBodyFor("a-model", { messages: [user, message] });

  expect(messages[1]).toEqual({ role: "assistant", content: "No" });
});
