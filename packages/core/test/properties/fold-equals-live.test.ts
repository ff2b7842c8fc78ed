import { assertValidTranscript } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { operations } from "./arbitrary-operations.ts";
import { PlayedSession } from "./played-session.ts";
import { createSurroundings } from "./surroundings.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

test("whatever is done to a session, its log says what it says, to every host", async () => {
  await fc.assert(
    fc.asyncProperty(operations(14), async (list) => {
      const played = PlayedSession.create(createSurroundings());

      for (const operation of list) {
        await played.play(operation);
        await expectSame(played);
      }
      await played.rest();
      await expectSame(played);

      const allowOpenTail = played.session.pendingToolCalls.length > 0;
      assertValidTranscript(played.session.messages, { allowOpenTail });
      await played.close();
    }),
    { numRuns },
  );
}, 600_000);

async function expectSame(played: PlayedSession): Promise<void> {
  if (!played.isStored) return;
  const live = played.live();
  expect(played.stored()).toEqual(live);
  expect(await played.elsewhere()).toEqual(live);
}
