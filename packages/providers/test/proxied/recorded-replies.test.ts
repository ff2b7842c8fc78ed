/** Recorded traffic of vendors, read by a provider on a server and by a client of that server. */
import { describe, expect, test } from "vitest";
import { anthropicVendor } from "../../src/vendors/anthropic.ts";
import { googleVendor } from "../../src/vendors/google.ts";
import { openAiVendor } from "../../src/vendors/openai.ts";
import type { Vendor } from "../../src/wire/vendor.ts";
import { anyServer } from "../chat/requests.ts";
import type { DecodedReply } from "../fixtures-harness/decode-reply.ts";
import { decodeReply } from "../fixtures-harness/decode-reply.ts";
import { fixtureReplies, fixturesNote, hasFixtures } from "../fixtures-harness/fixtures.ts";
import { inOnePiece } from "../fixtures-harness/replay.ts";
import { serveDuringTests, viaServer } from "./via-server.ts";

serveDuringTests();

const vendors: readonly (readonly [Vendor, model: string])[] = [
  [anthropicVendor, "claude-sonnet-4-5"],
  [openAiVendor, "gpt-5.5"],
  [googleVendor, "gemini-3.5-flash"],
  [anyServer, "a-model"],
];
const recorded = vendors.flatMap(([vendor, model]) =>
  fixtureReplies(vendor.protocol.id).map(
    (reply) => [`${vendor.protocol.id}: ${reply.name}`, vendor, reply, { model }] as const,
  ),
);

describe.runIf(hasFixtures)(`recorded replies through a server${fixturesNote}`, () => {
  test.each(recorded)("%s says the same", async (_, vendor, reply, options) => {
    const direct = await decodeReply(vendor, reply, inOnePiece(reply), options);

    const proxied = await decodeReply(vendor, reply, inOnePiece(reply), options, viaServer);

    expect(essence(proxied)).toEqual(essence(direct));
  });
});

function essence({ parts, message, error }: DecodedReply): unknown {
  const { code, retryable, retryAfterMs, status, rejected, message: told } = error ?? {};
  const failure = error && { code, retryable, retryAfterMs, status, rejected, told };
  return JSON.parse(JSON.stringify({ parts, message, failure }));
}
