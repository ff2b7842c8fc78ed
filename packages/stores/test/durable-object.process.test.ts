/** The store contract against Durable Objects of a real workerd, which keeps them on disk. */
import { setTimeout as wait } from "node:timers/promises";
import { durableObjectStore } from "@capstan/stores/durable-object";
import type { StoreHandle } from "@capstan/stores/durable-object";
import { storeContract } from "@capstan/testing/stores";
import type { StoreUnderTest } from "@capstan/testing/stores";
import { afterAll, describe, test } from "vitest";
import { skipMissing } from "../../../test/runtimes.ts";
import { findWorkerd } from "../../../test/workerd.ts";
import { openObjects } from "./workerd/open-objects.ts";

const binary = findWorkerd();
const objects = binary === undefined ? undefined : await openObjects(binary);
afterAll(() => objects?.stop());
let stores = 0;

const advance = (ms: number): Promise<void> => wait(ms + 20);

function newStore(): StoreUnderTest {
  if (objects === undefined) throw new Error("workerd is not installed");
  stores += 1;
  const name = `store ${stores}`;
  const handles: StoreHandle[] = [];
  const reopen = (): StoreHandle => {
    const handle = durableObjectStore(objects.bindings, { name });
    handles.push(handle);
    return handle;
  };
  const close = async (): Promise<void> => {
    for (const handle of handles) await handle.close();
  };
  return { repository: reopen(), reopen, advance, leaseMs: 400, readsFromCheckpoints: true, close };
}

const scale =
  "ten thousand sessions are listed without a gap, filtered, and only the due are claimed";
const whyNotScale =
  "ten thousand sessions are as many databases here: workerd needs more than the two minutes of a test to create them";

describe.skipIf(objects === undefined)("Durable Objects", () => {
  storeContract("durable-object", newStore, {
    describe,
    test: (name, run, timeoutMs) =>
      test(
        name,
        async (context) => (name === scale ? context.skip(whyNotScale) : run(context)),
        timeoutMs,
      ),
  });
});

test.runIf(objects === undefined)("the contract of Durable Objects has its runtime", ({ skip }) => {
  skipMissing("workerd", skip);
});
