import { sqlite } from "@capstan/stores/sqlite";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";
import { localStore } from "./local-store.ts";

storeContract("sqlite", () => localStore((folder, options) => sqlite(`${folder}/s.db`, options)), {
  describe,
  test,
});
storeContract(
  "sqlite, full durability",
  () =>
    localStore((folder, options) => sqlite(`${folder}/s.db`, { ...options, durability: "full" })),
  { describe, test },
);
