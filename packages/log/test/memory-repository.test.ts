import { memoryRepository } from "@capstan/log";
import { manualClock, storeContract } from "@capstan/testing";
import { describe, test } from "vitest";

function create() {
  const clock = manualClock();
  return { repository: memoryRepository({ now: clock.now }), ...clock };
}
storeContract("memory", create, { describe, test });
