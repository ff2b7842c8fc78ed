/** Storage of people who have load and save only: a text for each session. */
import type { LoadAndSave } from "@capstan/log";

export interface SavedTexts extends Required<Omit<LoadAndSave, "create">> {
  readonly texts: Map<string, string>;
}

export function savedTexts(texts: Map<string, string> = new Map()): SavedTexts {
  return {
    texts,
    load: async (id) => {
      const text = texts.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    save: async (id, session) => {
      texts.set(id, JSON.stringify(session));
    },
    list: async () => [...texts.keys()],
    delete: async (id) => {
      texts.delete(id);
    },
  };
}
