import { fromLoadAndSave } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";
import { savedTexts } from "./saved-texts.ts";

// Without `reopen`: leases last as long as the only process.
function create() {
  const clock = manualClock();
  const repository = fromLoadAndSave(savedTexts(), { now: clock.now });
  return { repository, ...clock, readsFromCheckpoints: true };
}
storeContract("load and save", create, { describe, test });
