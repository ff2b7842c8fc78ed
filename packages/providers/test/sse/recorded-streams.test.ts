import { describe, expect, test } from "vitest";
import {
  differencesFromIndex,
  fixtureReplies,
  fixturesNote,
  hasFixtures,
} from "../fixtures-harness/fixtures.ts";
import { asRecorded, cutAnywhere, inOnePiece, inPiecesOf } from "../fixtures-harness/replay.ts";
import { decodeAll } from "./decode.ts";

const apis = ["anthropic-messages", "openai-responses", "openai-chat", "google-generate"];
const streams = apis.flatMap(fixtureReplies).filter(({ isStream }) => isStream);

describe.skipIf(!hasFixtures)(`recorded streams${fixturesNote}`, () => {
  test.each(apis)("those of %s are those of the index", (api) => {
    expect(differencesFromIndex(api)).toEqual([]);
  });

  test.each(streams)("$name decodes the same, however it is cut", (reply) => {
    const whole = decodeAll(inOnePiece(reply));

    expect(whole.length).toBeGreaterThan(0);
    expect(decodeAll(asRecorded(reply))).toEqual(whole);
    expect(decodeAll(inPiecesOf(reply, 7))).toEqual(whole);
    expect(decodeAll(cutAnywhere(reply, 1))).toEqual(whole);
    expect(decodeAll(cutAnywhere(reply, 2))).toEqual(whole);
  });

  test("bare JSON stands in the streams that are said to have it, and in no other", () => {
    const bare = streams.filter((reply) => decodeAll([reply.body]).some(({ isBare }) => isBare));
    const said = streams.filter(({ expect: facts }) => facts["bare_json_error"] !== undefined);

    expect(bare.map(({ name }) => name)).toEqual(said.map(({ name }) => name));
  });
});
