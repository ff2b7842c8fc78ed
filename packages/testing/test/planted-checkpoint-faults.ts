/** Programs whose checkpoints lack something, which processes that begin there do not know. What a store damages is noticed. */
import type { EntryOf } from "@capstan/log";
import { memoryRepository, toCheckpointBody } from "@capstan/log";
import type { CreateStore } from "@capstan/testing/crash";
import type { PlantedFault } from "./planted-faults.ts";

export const plantedCheckpointFaults: readonly PlantedFault[] = [
  {
    name: "a checkpoint forgets the summary",
    scenario: "turns after a checkpoint, with all that may follow it",
    caughtAs: "requests",
    createStore: withCheckpoint((state) => ({
      ...state,
      context: { ...state.context, summary: undefined },
    })),
  },
  {
    name: "a checkpoint forgets the input that waits for its turn",
    scenario: "turns after a checkpoint, with all that may follow it",
    caughtAs: "requests",
    createStore: withCheckpoint((state) => ({
      ...state,
      posts: { ...state.posts, input: undefined },
    })),
  },
];

/** A store whose checkpoints have another state. */
function withCheckpoint(change: (state: Checkpoint) => Checkpoint): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    return {
      ...store,
      append: (id, entries, choices) =>
        store.append(
          id,
          entries.map((entry) =>
            entry.type === "checkpoint"
              ? { ...entry, ...toCheckpointBody(change(entry.state as Checkpoint)) }
              : entry,
          ),
          choices,
        ),
    };
  };
}

/** With the parts that these faults change; the state belongs to the folds. */
type Checkpoint = EntryOf<"checkpoint">["state"] & {
  readonly context: object;
  readonly posts: object;
};
