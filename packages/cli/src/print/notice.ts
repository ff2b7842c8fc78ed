/** A message that tells the model what has changed in its instructions. */
import type { ChatMessage } from "@capstan/kernel";

/** Instructions as of a notice. A type, not an interface: JSON accepts only types. */
export type Told = {
  readonly surroundings: string;
  /** Hashes of the files, by path. */
  readonly files: Readonly<Record<string, string>>;
};

export interface Notice {
  readonly role: "user";
  readonly content: string;
  readonly metadata: {
    readonly writtenBy: "capstan";
    /** Short descriptions, for people. */
    readonly changes: readonly string[];
    readonly told: Told;
  };
}

/** Metadata of a notice; undefined if the message is none. */
export function noticeIn(message: ChatMessage): Notice["metadata"] | undefined {
  if (message.role !== "user") return undefined;
  // Other metadata has no `told`.
  const metadata = message.metadata as Partial<Notice["metadata"]> | null | undefined;
  const isNotice = metadata?.writtenBy === "capstan" && metadata.told !== undefined;
  return isNotice ? (metadata as Notice["metadata"]) : undefined;
}
