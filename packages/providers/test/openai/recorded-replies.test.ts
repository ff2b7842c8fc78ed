import { describe, expect, test } from "vitest";
import { openAiVendor } from "../../src/vendors/openai.ts";
import { decodeReply } from "../fixtures-harness/decode-reply.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";
import { fixtureReplies, fixturesNote } from "../fixtures-harness/fixtures.ts";
import { decodesRecordedReplies } from "../fixtures-harness/recorded-replies.ts";
import { responsesAdapter } from "./responses-adapter.ts";

const model = "gpt-5.5";
const told = fixtureReplies("openai-responses").filter(
  ({ expect: { ok, text, tool_calls: calls } }) => ok && (text !== "" || calls.length > 0),
);

describe("Responses", () => {
  decodesRecordedReplies({ vendor: openAiVendor, adapter: responsesAdapter, model });

  describe.runIf(told.length > 0)(`what the vendor says of a reply${fixturesNote}`, () => {
    test.each(told.map((reply) => [reply.name, reply] as const))(
      "is kept of %s",
      async (_, reply) => {
        const { message } = await decodeReply(openAiVendor, reply, undefined, { model });

        const { id, model: answered, usage_raw: usage } = reply.expect;
        expect(dataOf(message?.metadata)).toMatchObject({
          id,
          model: answered,
          ...(usage && { usage }),
        });
      },
    );
  });
});
