/**
 * Conversations that the vendor has accepted: what we decode of each reply, written down again, is what the real client sent back. Clients
 * differ in what does not matter to the vendor:
 * - ids and status of items, empty annotations, fields that hold nothing, a string in place of one text, an empty message;
 * - white space in arguments;
 * - a reference in place of an item, and a reasoning without its sealed content: both only work where the vendor keeps the conversation,
 *   which we ask it not to do. The same holds for `previous_response_id`, upon which only the results are sent;
 * - items of a kind that a client leaves out altogether, as reasoning, texts beside calls, or what the vendor ran: ours go back; so do the
 *   arguments of a tool search, which one client writes anew.
 * The recorder of one case wrote typographic quotes as plain ones.
 */
import type { ToolContentPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { openAiVendor } from "../../src/vendors/openai.ts";
import { dataOf, plainPunctuation, transcriptOf } from "../fixtures-harness/exchange-transcript.ts";
import {
  differencesFromIndex,
  fixtureCases,
  fixturesNote,
  hasFixtures,
  indexedCases,
} from "../fixtures-harness/fixtures.ts";
import { requestOf } from "../request-of.ts";
import { gptTarget } from "./requests.ts";

type Item = Readonly<Record<string, unknown>>;

const exchanges = fixtureCases("openai-responses").filter(({ kind }) => kind === "exchange");
describe.runIf(hasFixtures)(`recorded conversations of Responses${fixturesNote}`, () => {
  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s is written as the vendor accepted it",
    async (_, exchange) => {
      const messages = await transcriptOf(exchange, openAiVendor, toPart);

      const { body } = openAiResponses.encode(
        requestOf({ messages }),
        gptTarget(exchange.meta.model),
      );

      const ours = (dataOf(body)["input"] as readonly Item[]).slice(1);
      const appended = exchange.links.flatMap((link) => link.appended as readonly Item[]);
      const theirs = comparable(resolve(appended, ours));
      const kinds = new Set(theirs.map(kindOf));
      expect(comparable(ours).filter((item) => kinds.has(kindOf(item)))).toEqual(theirs);
    },
  );

  test("no conversation is left out", () => {
    const links = exchanges.flatMap((exchange) => exchange.links);

    const indexed = indexedCases("openai-responses").filter(({ kind }) => kind === "exchange");
    console.log(
      `${exchanges.length} of ${indexed.length} conversations of Responses with ${links.length} links written again`,
    );
    expect(differencesFromIndex("openai-responses")).toEqual([]);
  });
});

/** Files that were uploaded before, or are somewhere else: no part of a conversation names such a thing. */
function toPart(): ToolContentPart {
  return { type: "text", text: "a file" };
}

/** A reference stands for an item that the vendor has kept. */
function resolve(items: readonly Item[], known: readonly Item[]): readonly Item[] {
  return items.map((item) =>
    item["type"] === "item_reference" ? (known.find(({ id }) => id === item["id"]) ?? item) : item,
  );
}

/** In one form, whoever wrote it. */
function comparable(items: readonly Item[]): readonly Item[] {
  const clean = items
    .filter(isCompared)
    .map(({ id: _id, status: _status, ...item }) => ({ ...item, ...inOneForm(item) }));
  return JSON.parse(JSON.stringify(clean, leaveOut)) as readonly Item[];
}

function kindOf({ type, role }: Item): string {
  return `${String(type)} ${String(role)}`;
}

function leaveOut(key: string, value: unknown): unknown {
  if (value === null || isSearchId(key, value)) return undefined;
  return typeof value === "string" ? plainPunctuation(value) : value;
}

/** One client names a search by the id of its item, where the vendor has none for it. */
function isSearchId(key: string, value: unknown): boolean {
  return key === "call_id" && typeof value === "string" && value.startsWith("tsc_");
}

function isCompared({ type, role, encrypted_content: sealed, content }: Item): boolean {
  // What others say after the results is not part of the reply.
  if (role !== undefined && role !== "assistant") return false;
  return type === "reasoning" ? sealed !== undefined : content !== "";
}

function inOneForm({ type, role, content, arguments: args, output }: Item): Item {
  if (role === "assistant") return { type: "message", content: textOf(content) };
  if (type === "tool_search_call") return { arguments: {} };
  if (typeof args === "string") return { arguments: JSON.parse(args) as unknown };
  if (String(type).endsWith("_output") && Array.isArray(output)) {
    return { output: output.map(() => "a file") };
  }
  return {};
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly Item[]).map(({ text }) => String(text)).join("");
}
