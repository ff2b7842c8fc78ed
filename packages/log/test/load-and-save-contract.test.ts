import { fromLoadAndSave } from "@capstan/log";
import { manualClock } from "@capstan/testing";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";
import { savedTexts } from "./saved-texts.ts";

// Without `reopen`: leases last as long as the only process.
function create() {
  const clock = manualClock();
  return { repository: fromLoadAndSave(savedTexts(), { now: clock.now }), ...clock };
}
storeContract("load and save", create, { describe, test });
