/**
 * Conversations that the vendor has accepted: what we decode of each reply, written down again, is what the real client sent back. Clients
 * differ in what does not matter to the vendor:
 * - ids of calls that the vendor gave none; `function_call` and `functionCall`, `thought_signature` and `thoughtSignature`;
 * - signatures in the alphabet for URLs and in the other one;
 * - what the object around a result calls it (`result`, `output`, `return_value`);
 * - `thought` parts, which one client sends back and the vendor does not need;
 * - messages that one client puts behind the results: only replies and results are compared.
 * Where a call came without a signature, ours has the word for that, if the model wants one.
 */
import type { JsonValue, ToolContentPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { googleGenerate } from "../../src/protocols/google-generate/google-generate.ts";
import { googleVendor } from "../../src/vendors/google.ts";
import { dataOf, transcriptOf } from "../fixtures-harness/exchange-transcript.ts";
import {
  differencesFromIndex,
  fixtureCases,
  fixturesNote,
  hasFixtures,
  indexedCases,
} from "../fixtures-harness/fixtures.ts";
import { requestOf } from "../request-of.ts";
import { geminiTarget } from "./requests.ts";

const exchanges = fixtureCases("google-generate").filter(({ kind }) => kind === "exchange");

describe.runIf(hasFixtures)(`recorded conversations with Gemini${fixturesNote}`, () => {
  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s is written as the vendor accepted it",
    async (_, exchange) => {
      const messages = await transcriptOf(exchange, googleVendor, toPart);

      const { body } = googleGenerate.encode(
        requestOf({ messages }),
        geminiTarget(exchange.meta.model),
      );

      const ours = (dataOf(body)["contents"] as readonly JsonValue[]).slice(1);
      const theirs = exchange.links.flatMap(({ appended }) => appended);
      expect(comparable(ours)).toEqual(comparable(theirs));
    },
  );

  test("no conversation is left out", () => {
    const links = exchanges.flatMap((exchange) => exchange.links);

    const indexed = indexedCases("google-generate").filter(({ kind }) => kind === "exchange");
    console.log(
      `${exchanges.length} of ${indexed.length} conversations of Gemini with ${links.length} links written again`,
    );
    expect(differencesFromIndex("google-generate")).toEqual([]);
  });
});

/** The object around a result is the client's. */
function toPart(response: JsonValue): ToolContentPart {
  return { type: "text", text: saidIn(response) };
}

/** The calls with their signatures, and the results, in one form, whoever wrote them. */
function comparable(contents: readonly JsonValue[]): readonly unknown[] {
  return contents
    .flatMap((content) => (dataOf(content)["parts"] ?? []) as readonly JsonValue[])
    .map((part) => toEntry(dataOf(part)))
    .filter((entry) => entry !== undefined);
}

function toEntry(part: Readonly<Record<string, unknown>>): object | undefined {
  const call = part["functionCall"] ?? part["function_call"];
  const result = part["functionResponse"] ?? part["function_response"];
  const signature = part["thoughtSignature"] ?? part["thought_signature"];
  if (call !== undefined) {
    const { name, args } = dataOf(call);
    return { name, args, signature: sealOf(signature) };
  }
  if (result === undefined) return undefined;
  const { name, response } = dataOf(result);
  return { name, result: saidIn(response) };
}

function sealOf(signature: unknown): string | undefined {
  if (typeof signature !== "string" || signature.startsWith("skip_")) return undefined;
  return signature.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
}

/** What a result says, without the names of the fields around it. */
function saidIn(response: unknown): string {
  return Object.values(dataOf(response))
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
}
