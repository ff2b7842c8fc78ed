import { sqlite } from "@capstan/stores/sqlite";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";
import { byAge } from "../src/rows/list-rows.ts";
import { ShardedRepository } from "../src/shards/sharded-repository.ts";
import { localStore } from "./local-store.ts";

const names = ["first", "second", "third"];

storeContract(
  "three SQLite files",
  () => ({
    ...localStore((folder, options) => {
      const shards = names.map((name) => ({
        name,
        store: sqlite(`${folder}/${name}.db`, options),
      }));
      return new ShardedRepository(shards, byAge);
    }),
    isOneQueue: false,
  }),
  { describe, test },
);
