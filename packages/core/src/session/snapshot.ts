/** A session as one value: returned by `snapshot` and accepted by `restore`. */
import type { ChatMessage, JsonValue, KeptOutput, PendingCall, Usage } from "@capstan/kernel";
import type { SessionStatus, StoredEntry } from "@capstan/log";

/** Lists the known providers; the type stays open for others. */
export type ProviderId = "openai" | "anthropic" | "google" | "openai-compatible" | (string & {});

/** A session as plain JSON. Its `entries` are the truth; `SessionSnapshotSchema` validates one that comes from outside. */
export interface SessionSnapshot {
  readonly version: 1;
  readonly id: string;
  readonly agent: string;
  /** Milliseconds, like `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly status: SessionStatus;
  readonly cwd?: string;
  /** Provider of the model that was used last. */
  readonly provider?: ProviderId;
  /** Name of the model at its provider. */
  readonly model?: string;
  readonly title?: string;
  readonly principal?: string;
  readonly metadata?: JsonValue;
  readonly messages: readonly ChatMessage[];
  readonly pendingToolCalls: readonly PendingCall[];
  readonly usage: Usage;
  /** Sum of the recorded costs; absent if none was recorded. */
  readonly totalCost?: number;
  /** Outputs of tools that are kept as blobs. Absent if there are none. */
  readonly artifacts?: readonly Artifact[];
  /** The log, from which a restore continues. The other fields are derived from it, for readers of the state. */
  readonly entries: readonly StoredEntry[];
  /** Blobs that the entries refer to. Absent if there are none. */
  readonly blobs?: readonly StoredBlob[];
}

/** A complete tool output, if its message has only a part of it. */
export interface Artifact extends KeptOutput {
  readonly toolCallId: string;
}

/** A blob of a snapshot: its name, and its bytes in base64. */
export interface StoredBlob {
  /** Name of the blob in the entries. */
  readonly blob: string;
  /** Base64. */
  readonly data: string;
}
