/** A session as plain JSON, wherever it was stored. */
import type { StoredEntry } from "@capstan/log";
import { z } from "zod";
import type { Artifact, SessionSnapshot, StoredBlob } from "../session/snapshot.ts";
import { fieldsOf } from "./exact-fields.ts";
import { JsonValueSchema } from "./json-value.ts";
import { ChatMessageSchema } from "./messages.ts";
import { amount } from "./numbers.ts";
import { listOf, openObject } from "./open-object.ts";
import { PendingCallSchema } from "./pending-call.ts";
import { UsageSchema } from "./usage.ts";

const positive = z.int().min(1);

/** Validates only the envelope, and that the rest is JSON; `parseEntry` of the log validates the body. */
export const StoredEntrySchema: z.ZodType<StoredEntry> = openObject({
  seq: positive,
  v: positive,
  type: z.string(),
  id: z.string(),
  at: amount,
});

/** Schema of a `StoredBlob`. */
export const StoredBlobSchema: z.ZodType<StoredBlob> = openObject(
  fieldsOf<StoredBlob>()({ blob: z.string(), data: z.base64() }),
);

const ArtifactSchema: z.ZodType<Artifact> = openObject(
  fieldsOf<Artifact>()({
    toolCallId: z.string(),
    blob: z.string(),
    mediaType: z.enum(["text/plain", "application/json"]),
    chars: amount,
  }),
);

const optionalText = z.string().exactOptional();

/** Schema of a `SessionSnapshot`. */
export const SessionSnapshotSchema: z.ZodType<SessionSnapshot> = openObject(
  fieldsOf<SessionSnapshot>()({
    version: z.literal(1),
    id: z.string(),
    agent: z.string(),
    createdAt: amount,
    updatedAt: amount,
    status: z.enum(["idle", "running", "awaiting_tool_execution", "completed", "error"]),
    cwd: optionalText,
    provider: optionalText,
    model: optionalText,
    title: optionalText,
    principal: optionalText,
    metadata: JsonValueSchema.exactOptional(),
    messages: listOf(ChatMessageSchema),
    pendingToolCalls: listOf(PendingCallSchema),
    usage: UsageSchema,
    totalCost: amount.exactOptional(),
    artifacts: listOf(ArtifactSchema).exactOptional(),
    entries: listOf(StoredEntrySchema),
    blobs: listOf(StoredBlobSchema).exactOptional(),
  }),
);
