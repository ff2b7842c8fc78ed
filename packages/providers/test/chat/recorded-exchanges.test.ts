/**
 * Conversations that servers have accepted: what we decode of each reply, written down again, is what the real client sent back. Clients
 * differ in what does not matter to the servers:
 * - `content` as null, an empty text, a blank or a list; `prefix: false`; the `index` of a call; markers for the cache; fields that are left out;
 * - white space in arguments;
 * - reasoning in the field that the vendor wants it in, which is a quirk of the vendor; one client sends it in two fields;
 * - one client sends the whole conversation anew, and two put a message of their own behind the results: only ours is compared.
 */
import type { JsonValue, ToolContentPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { openAiChat } from "../../src/protocols/openai-chat/openai-chat.ts";
import { dataOf, transcriptOf } from "../fixtures-harness/exchange-transcript.ts";
import {
  differencesFromIndex,
  fixtureCases,
  fixturesNote,
  hasFixtures,
  indexedCases,
} from "../fixtures-harness/fixtures.ts";
import { requestOf } from "../request-of.ts";
import { anyServer, chatTarget } from "./requests.ts";

type Message = Readonly<Record<string, unknown>>;

const exchanges = fixtureCases("openai-chat").filter(({ kind }) => kind === "exchange");

const reasoningFields = ["reasoning_details", "reasoning_content", "reasoning"] as const;

describe.runIf(hasFixtures)(`recorded conversations of Chat Completions${fixturesNote}`, () => {
  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s is written as the server accepted it",
    async (_, exchange) => {
      const messages = await transcriptOf(exchange, anyServer, toPart);
      const theirs = exchange.links.flatMap(({ appended }) => appended as readonly Message[]);
      const reasoningField = reasoningFields.find((field) => theirs.some((one) => field in one));

      const { body } = openAiChat.encode(
        requestOf({ messages }),
        chatTarget(exchange.meta.model, reasoningField === undefined ? {} : { reasoningField }),
      );

      const ours = (dataOf(body)["messages"] as readonly Message[]).slice(1);
      expect(comparable(ours)).toEqual(comparable(theirs));
    },
  );

  test("no conversation is left out", () => {
    const links = exchanges.flatMap((exchange) => exchange.links);

    const indexed = indexedCases("openai-chat").filter(({ kind }) => kind === "exchange");
    console.log(
      `${exchanges.length} of ${indexed.length} conversations of Chat Completions with ${links.length} links written again`,
    );
    expect(differencesFromIndex("openai-chat")).toEqual([]);
  });
});

function toPart(part: JsonValue): ToolContentPart {
  return { type: "text", text: String(dataOf(part)["text"]) };
}

/** In one form, whoever wrote it. */
function comparable(messages: readonly Message[]): readonly unknown[] {
  return messages
    .filter(({ role, tool_calls: calls }) => role === "tool" || calls !== undefined)
    .map((message) => ({
      role: message["role"],
      content: textOf(message["content"]),
      ...(message["tool_call_id"] !== undefined && { tool_call_id: message["tool_call_id"] }),
      ...reasoningOf(message),
      calls: ((message["tool_calls"] ?? []) as readonly Message[]).map(callOf),
    }));
}

function textOf(content: unknown): string {
  if (Array.isArray(content)) return content.map((part) => String(dataOf(part)["text"])).join("");
  return typeof content === "string" ? content.trim() : "";
}

function reasoningOf(message: Message): Message {
  const { reasoning_details: details, reasoning, reasoning_content: content } = message;
  if (details !== undefined) return { details };
  const thought = reasoning ?? content;
  return thought === undefined ? {} : { thought };
}

function callOf({ id, function: called }: Message): unknown {
  const { name, arguments: text } = dataOf(called);
  return { id, name, arguments: JSON.parse(String(text)) as unknown };
}
