import { fs } from "@capstan/stores/fs";
import { storeContract } from "@capstan/testing/stores";
import { describe, test } from "vitest";
import { localStore } from "./local-store.ts";

storeContract("fs", () => localStore((folder, options) => fs(folder, options)), { describe, test });
