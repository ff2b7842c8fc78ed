/** `@capstan/log`: what a session is made of, as entries, and what follows from them. */
export { entryVersion, isPosted } from "./entries.ts";
export type {
  Entry,
  EntryBody,
  EntryEnvelope,
  EntryOf,
  EntryType,
  LentTool,
  NewEntry,
  OwnedBody,
  PostedBody,
  PostedEntry,
  SessionConfig,
  StoredEntry,
  TurnOptions,
} from "./entries.ts";
export { incarnationOf } from "./incarnation.ts";
export { RepositoryError, isRepositoryError } from "./repository.ts";
export { isPromise } from "@capstan/kernel";
export type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  DueQuery,
  Lease,
  ListedSession,
  ListQuery,
  LiveFrame,
  MaybePromise,
  Posted,
  ReadOptions,
  ReadPage,
  RepositoryErrorCode,
  SessionHead,
  SessionPage,
  SessionRepository,
  SessionStatus,
  SubscribeOptions,
  Wakeup,
  WriteOptions,
} from "./repository.ts";
export { leaseOver, sessionExists, sessionGone, sessionNotFound } from "./repository-failures.ts";
export { checkEnvelope, checkEnvelopes, invalidEntry } from "./entry-envelope.ts";
export { listPage, newestFirst } from "./list-page.ts";
export { formatListPlace, parseListPlace } from "./list-place.ts";
export type { ListPlace } from "./list-place.ts";
export { Wakeups } from "./wakeups.ts";
export { isDue } from "./is-due.ts";
export type { DueFacts } from "./is-due.ts";
export { memoryRepository } from "./memory-repository.ts";
export type { MemoryRepository, MemoryRepositoryOptions } from "./memory-repository.ts";
export { checkEntries, checkEntry, parseEntry } from "./parse-entry.ts";
export type { Upcast, Upcasts } from "./upcasts.ts";
export { LogError } from "./log-error.ts";
export type { LogErrorCode } from "./log-error.ts";
export { applyStored, foldEntries, foldNew, parseEntries } from "./fold-entries.ts";
export { repairSession, salvageLog } from "./salvage.ts";
export type { LostEntry, Repair, RepairedSession, SalvagedLog } from "./salvage.ts";
export { exportEntries, exportSession, importSession } from "./session-lines.ts";
export type { ImportOptions } from "./session-lines.ts";
export { fromBase64, toBase64 } from "./base64.ts";
export { createCopy, readBlobs } from "./copy-blobs.ts";
export type { NamedBlob, SessionCopy } from "./copy-blobs.ts";
export { forkLog } from "./copy-log.ts";
export { importLog, restoreLog } from "./import-log.ts";
export type { ImportedLog, ImportOrigin, LogImport, LogRestore } from "./import-log.ts";
export type { Fork } from "./copy-log.ts";
export type { ContextFold, ContextSummary, ReportedSize } from "./context-fold.ts";
export type { CompactionFold, CompactionOutcome, CompactRequest } from "./compaction-fold.ts";
export type { OutputFold, ShownOutput } from "./output-fold.ts";
export type { CacheStability, PrefixFold } from "./prefix-fold.ts";
export { SessionFold } from "./session-fold.ts";
export type { EntryPoint, TranscriptFold } from "./transcript-fold.ts";
export { chainMark } from "./turn-fold.ts";
export type { StepUnderWay, TurnFold } from "./turn-fold.ts";
export type { QueuedItem, QueueFold, QueueOutcome } from "./queue-fold.ts";
export type { PricedUsage, UsageFold } from "./usage-fold.ts";
export type { CallClaim, CallStates, Refusal } from "./call-states.ts";
export { isOverdue } from "./is-overdue.ts";
export type { NextAction, TurnEnd } from "./next-action.ts";
export { entriesOfFacts } from "./entries-of-facts.ts";
export type { FactContext, FactPrice } from "./entries-of-facts.ts";
export { eventsOf } from "./events-of.ts";
export type { PlacedEvent } from "./events-of.ts";
export { isLiveOnly } from "./live-only.ts";
export { WireReader, toWireJson, toWireJsonOfTurn } from "./wire-events.ts";
export type { WireEvent } from "./wire-events.ts";
export { EventFeed } from "./event-feed.ts";
export { compareCursors, formatCursor, parseCursor, startCursor } from "./cursor.ts";
export type { Cursor } from "./cursor.ts";
