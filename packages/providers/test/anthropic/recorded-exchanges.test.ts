/**
 * Conversations that the vendor has accepted: what we decode of each reply, written down again, is what the real client sent back. Clients
 * differ in what does not matter to the vendor:
 * - markers for the cache, `is_error: false`, fields that hold nothing, a string in place of one text block;
 * - `caller: { type: "direct" }`, which is the default: some clients leave it out;
 * - a text of white space alone, which one client adds and the vendor does not want;
 * - the text beside a tool call, which some clients leave out: ours goes back;
 * - the arguments of a call, which one client changes on the way: ours go back as they came;
 * - what a user says after the results, and files and pictures that are somewhere else: only replies and results are compared.
 * The recorder of one case wrote typographic quotes and dashes as plain ones.
 */
import { isDeepStrictEqual } from "node:util";
import type { JsonValue, ToolContentPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { anthropicVendor } from "../../src/vendors/anthropic.ts";
import { dataOf, plainPunctuation, transcriptOf } from "../fixtures-harness/exchange-transcript.ts";
import type { FixtureCase, FixtureLink } from "../fixtures-harness/fixtures.ts";
import {
  differencesFromIndex,
  fixtureCases,
  fixturesNote,
  hasFixtures,
  indexedCases,
} from "../fixtures-harness/fixtures.ts";
import { requestOf } from "../request-of.ts";
import { claudeTarget } from "./requests.ts";

const exchanges = fixtureCases("anthropic-messages").filter(({ kind }) => kind === "exchange");

describe.runIf(hasFixtures)(`recorded conversations with Claude${fixturesNote}`, () => {
  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s is written as the vendor accepted it",
    async (_, exchange) => {
      const target = claudeTarget(exchange.meta.model);
      const messages = await transcriptOf(exchange, anthropicVendor, toPart, errorsIn);

      const { body } = anthropicMessages.encode(requestOf({ messages }), target);

      const sent = behindFirstUser(dataOf(body)["messages"]);
      const theirs = behindFirstUser(exchange.links.flatMap(({ appended }) => appended));
      const isSilent = !theirs.some(speaks);
      const isChanged = changesArguments(exchange);
      expect(comparable(sent, isChanged, isSilent)).toEqual(
        comparable(theirs, isChanged, isSilent),
      );
      expect(dataOf(body)["container"]).toEqual(lastRequest(exchange)["container"]);
    },
  );

  test("no conversation is left out", () => {
    const links = exchanges.flatMap((exchange) => exchange.links);

    const indexed = indexedCases("anthropic-messages").filter(({ kind }) => kind === "exchange");
    console.log(
      `${exchanges.length} of ${indexed.length} conversations of Claude with ${links.length} links written again`,
    );
    expect(differencesFromIndex("anthropic-messages")).toEqual([]);
  });
});

function toPart(block: JsonValue): ToolContentPart {
  const { type, text, source } = dataOf(block);
  if (type === "text") return { type: "text", text: String(text) };
  const { media_type: mediaType, data, url } = dataOf(source);
  if (isSecureUrl(url)) {
    return type === "document"
      ? { type, mediaType: "application/pdf", url }
      : { type: "image", mediaType: "image/*", url };
  }
  // A file that was uploaded before.
  if (typeof data !== "string") return { type: "text", text: "a file" };
  return type === "document"
    ? { type, mediaType: String(mediaType), data }
    : { type: "image", mediaType: String(mediaType), data };
}

function errorsIn({ appended }: FixtureLink): ReadonlySet<unknown> {
  const results = appended.flatMap((item) => blocksOf(dataOf(item)["content"])).map(dataOf);
  return new Set(
    results.filter((one) => one["is_error"] === true).map((one) => one["tool_use_id"]),
  );
}

/** Whether the client sent back other arguments than it got. */
function changesArguments({ replies, links }: FixtureCase): boolean {
  const got = replies.flatMap(({ expect: facts }) => facts.tool_calls);
  const sent = links
    .flatMap(({ appended }) => appended)
    .flatMap((item) => blocksOf(dataOf(item)["content"]))
    .map(dataOf)
    .filter(({ type }) => type === "tool_use");
  return sent.some(({ id, input }) =>
    got.some((call) => call.id === id && !isDeepStrictEqual(call.arguments, input)),
  );
}

/** Without what the conversation began with. */
function behindFirstUser(items: unknown): readonly JsonValue[] {
  const list = items as readonly JsonValue[];
  return list.slice(list.findIndex((item) => dataOf(item)["role"] === "assistant"));
}

function lastRequest({ replies }: FixtureCase): Readonly<Record<string, unknown>> {
  return dataOf(replies.at(-1)?.request);
}

/** In one form, whoever wrote it. */
function comparable(items: readonly JsonValue[], isChanged: boolean, isSilent: boolean): unknown {
  const clean = items
    .map((item) => {
      const { role, content } = dataOf(item);
      return {
        role,
        content: blocksOf(content).filter((block) => isCompared(block, role, isSilent)),
      };
    })
    .filter(({ content }) => content.length > 0);
  const plain = JSON.parse(JSON.stringify(clean, leaveOut)) as unknown;
  return isChanged ? withoutArguments(plain) : plain;
}

function withoutArguments(items: unknown): unknown {
  return JSON.parse(JSON.stringify(items, (key, value: unknown) => (key === "input" ? {} : value)));
}

/** Whether a reply has a text beside its calls. */
function speaks(item: JsonValue): boolean {
  const { role, content } = dataOf(item);
  return (
    role === "assistant" && blocksOf(content).some((block) => dataOf(block)["type"] === "text")
  );
}

function isCompared(block: JsonValue, role: unknown, isSilent: boolean): boolean {
  const { type, text } = dataOf(block);
  if (role === "user") return type === "tool_result";
  if (type !== "text") return true;
  return String(text).trim() !== "" && !isSilent;
}

function leaveOut(this: unknown, key: string, value: unknown): unknown {
  if (key === "cache_control" || value === null) return undefined;
  if (key === "is_error" && value === false) return undefined;
  if (key === "caller" && dataOf(value)["type"] === "direct") return undefined;
  if (key === "citations" && Array.isArray(value) && value.length === 0) return undefined;
  const isResult = key === "content" && dataOf(this)["type"] === "tool_result";
  if (isResult) return blocksOf(value).map(aFile);
  return typeof value === "string" ? plainPunctuation(value) : value;
}

function blocksOf(content: unknown): readonly JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content as JsonValue[]);
}

function aFile(block: JsonValue): JsonValue {
  const { data, url } = dataOf(dataOf(block)["source"]);
  const isFile =
    dataOf(block)["source"] !== undefined && typeof data !== "string" && !isSecureUrl(url);
  return isFile ? { type: "text", text: "a file" } : block;
}

function isSecureUrl(url: unknown): url is string {
  return typeof url === "string" && url.startsWith("https:");
}
