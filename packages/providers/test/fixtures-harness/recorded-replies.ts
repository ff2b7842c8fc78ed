/** The tests that every protocol has for the replies that were recorded of it. */
import { describe, expect, test } from "vitest";
import type { Vendor } from "../../src/wire/vendor.ts";
import type { ReplyAdapter } from "./compare-reply.ts";
import { compareReply } from "./compare-reply.ts";
import type { DecodedReply } from "./decode-reply.ts";
import { decodeReply } from "./decode-reply.ts";
import type { FixtureReply } from "./fixtures.ts";
import {
  differencesFromIndex,
  fixtureReplies,
  fixturesNote,
  hasFixtures,
  indexedCases,
} from "./fixtures.ts";
import { asRecorded, cutAnywhere, inPiecesOf } from "./replay.ts";

/** More of them on demand, as in `PROPERTY_RUNS=300 npx vitest run …`. */
const seeds = Array.from({ length: Number(process.env["PROPERTY_RUNS"] ?? 25) }, (_, seed) => seed);

export interface RecordedOptions {
  readonly vendor: Vendor;
  readonly adapter: ReplyAdapter;
  readonly model: string;
}

/** Registers the tests. */
export function decodesRecordedReplies({ vendor, adapter, model }: RecordedOptions): void {
  const replies = fixtureReplies(vendor.protocol.id);
  const named = replies.map((reply) => [reply.name, reply] as const);
  const decode = (reply: FixtureReply, chunks?: readonly Uint8Array[]): Promise<DecodedReply> =>
    decodeReply(vendor, reply, chunks, { model });

  describe.runIf(hasFixtures)(`recorded replies${fixturesNote}`, () => {
    test.each(named)("%s is decoded to the facts in it", async (_, reply) => {
      const decoded = await decode(reply);

      expect(compareReply(decoded, reply.expect, adapter)).toEqual([]);
    });

    test.each(named)("%s says the same however it is cut", async (_, reply) => {
      const uncut = await decode(reply);

      const cuts = [
        asRecorded(reply),
        inPiecesOf(reply, 7),
        ...seeds.map((seed) => cutAnywhere(reply, seed)),
      ];
      const decoded = await Promise.all(cuts.map((chunks) => decode(reply, chunks)));

      expect(new Set(decoded.map(essence))).toEqual(new Set([essence(uncut)]));
    });

    test("no recording is left out", () => {
      const { id } = vendor.protocol;
      const failed = replies.filter(({ expect: facts }) => !facts.ok).length;

      console.log(
        `${replies.length} replies of ${id} from ${indexedCases(id).length} cases of the index and those derived from them, ${failed} of them failures`,
      );
      expect(differencesFromIndex(id)).toEqual([]);
    });
  });
}

/** All that a reader could see of a reply. */
function essence({ message, error, parts }: DecodedReply): string {
  return JSON.stringify([message, error?.message, error?.code, parts]);
}
