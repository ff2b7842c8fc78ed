/** What the bare driver of `npm run capacity` stores is what a turn stores. */
import { expect, test } from "vitest";
import { recordTurnWrites } from "../bench/turn-writes.ts";

test("the recorded turn has the six writes of a turn of three steps, with its lease", async () => {
  const writes = await recordTurnWrites();

  const told = writes.map(({ entries, lease, head }) => [
    entries.map(({ type }) => type).join(" "),
    lease,
    head?.status,
  ]);
  expect(told).toEqual([
    ["input turn_started attempt", "taken", "running"],
    ["message attempt_ended tool_intent", undefined, undefined],
    ["tool_result attempt", undefined, undefined],
    ["message attempt_ended tool_intent", undefined, undefined],
    ["tool_result attempt", undefined, undefined],
    ["message attempt_ended turn_ended", "released", "completed"],
  ]);
});
