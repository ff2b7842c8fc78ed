// The stores that processes can share, by name.

import type { SessionRepository } from "@capstan/log";

type StoreName = "sqlite" | "fs" | "postgres";

export interface OpenStore {
  readonly repository: SessionRepository;
  close(): Promise<void>;
}

/** Where a store is: a file, a folder, or a URL. */
export interface StorePlace {
  readonly name: StoreName;
  readonly place: string;
}

export async function openStore({ name, place }: StorePlace): Promise<OpenStore> {
  switch (name) {
    case "sqlite": {
      const { sqlite } = await import("@capstan/stores/sqlite");
      return opened(sqlite(place));
    }
    case "fs": {
      const { fs } = await import("@capstan/stores/fs");
      return opened(fs(place));
    }
    case "postgres": {
      const { postgres } = await import("@capstan/stores/postgres");
      return opened(postgres(place));
    }
    default:
      return name satisfies never;
  }
}

function opened(repository: SessionRepository & { close?(): unknown }): OpenStore {
  return {
    repository,
    async close() {
      await repository.close?.();
    },
  };
}
