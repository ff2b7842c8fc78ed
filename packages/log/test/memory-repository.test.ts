import { memoryRepository } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";

function create() {
  const clock = manualClock();
  return { repository: memoryRepository({ now: clock.now }), ...clock, readsFromCheckpoints: true };
}
storeContract("memory", create, { describe, test });
