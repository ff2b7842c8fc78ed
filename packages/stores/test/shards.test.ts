import { sqlite } from "@capstan/stores/sqlite";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";
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
      return new ShardedRepository(shards);
    }),
    isOneQueue: false,
  }),
  { describe, test },
);
