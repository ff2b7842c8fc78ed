/** A session as one value: what a snapshot gives and a restore takes. */
import type { ChatMessage, JsonValue, PendingCall, Usage } from "@capstan/kernel";
import type { SessionStatus, StoredEntry } from "@capstan/log";

/** The known ones are listed; the type stays open for others. */
export type ProviderId = "openai" | "anthropic" | "google" | "openai-compatible" | (string & {});

/** A session as plain JSON. Its `entries` are the truth; `SessionSnapshotSchema` checks one that comes from outside. */
export interface SessionSnapshot {
  readonly version: 1;
  readonly id: string;
  readonly agent: string;
  /** Milliseconds, as `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly status: SessionStatus;
  readonly cwd?: string;
  /** Of the model that was used last. */
  readonly provider?: ProviderId;
  readonly model?: string;
  readonly title?: string;
  readonly principal?: string;
  readonly metadata?: JsonValue;
  readonly messages: readonly ChatMessage[];
  readonly pendingToolCalls: readonly PendingCall[];
  readonly usage: Usage;
  /** As far as costs were recorded; absent where none was. */
  readonly totalCost?: number;
  /** The log: what a restore goes on from. The other fields follow from it, for whoever reads the state. */
  readonly entries: readonly StoredEntry[];
  /** What entries name and do not hold. Absent where there is none. */
  readonly blobs?: readonly StoredBlob[];
}

export interface StoredBlob {
  /** As the entries name it. */
  readonly blob: string;
  /** Base64. */
  readonly data: string;
}
