/** `@capstan/log`: the entries of a session, and the state that follows from them. */
export { entryVersion, isPosted } from "./entries/entries.ts";
export type {
  BudgetSlice,
  ChildReport,
  Entry,
  EntryBody,
  EntryEnvelope,
  EntryOf,
  EntryType,
  LentTool,
  NewEntry,
  OwnedBody,
  ParentCall,
  PostedBody,
  PostedEntry,
  SessionConfig,
  StoredEntry,
  StoredTurnOverrides,
} from "./entries/entries.ts";
export { pendingVia } from "./folds/child-fold.ts";
export type { Child } from "./folds/child-state.ts";
export { newId } from "./entries/new-id.ts";
export { incarnationOf } from "./entries/incarnation.ts";
export { RepositoryError, isRepositoryError } from "./repository/repository.ts";
export { isPromise } from "@capstan/kernel";
export type {
  Appended,
  AppendOptions,
  ByteRange,
  Claim,
  ClaimTerms,
  DueQuery,
  Lease,
  ListedSession,
  ListQuery,
  LiveFrame,
  MaybePromise,
  Posted,
  PostedStart,
  ReadOptions,
  ReadPage,
  RepositoryErrorCode,
  SessionHead,
  SessionPage,
  SessionRepository,
  SessionStatus,
  SubscribeOptions,
  Wakeup,
  PostOptions,
  WriteOptions,
} from "./repository/repository.ts";
export {
  leaseOver,
  sessionExists,
  sessionGone,
  sessionNotFound,
} from "./repository/repository-failures.ts";
export { checkEnvelope, checkEnvelopes, invalidEntry } from "./entries/entry-envelope.ts";
export { listPage, newestFirst } from "./repository/list-page.ts";
export { formatListCursor, parseListCursor } from "./repository/list-cursor.ts";
export type { ListCursor } from "./repository/list-cursor.ts";
export { andThen, orElse } from "./repository/at-once.ts";
export { ReleasingMap } from "./repository/releasing-map.ts";
export { Wakeups } from "./repository/wakeups.ts";
export { isDue } from "./repository/is-due.ts";
export type { DueFacts } from "./repository/is-due.ts";
export { memoryRepository } from "./memory/memory-repository.ts";
export type { MemoryRepository, MemoryRepositoryOptions } from "./memory/memory-repository.ts";
export { fromLoadAndSave } from "./load-and-save/load-and-save.ts";
export type { LoadAndSaveOptions } from "./load-and-save/load-and-save.ts";
export type { LoadAndSave } from "./load-and-save/hooks.ts";
export type { SavedSession } from "./load-and-save/saved-session.ts";
export { checkEntries, checkEntry, parseEntry } from "./entries/parse-entry.ts";
export type { Upcast, Upcasts } from "./entries/upcasts.ts";
export { LogError } from "./entries/log-error.ts";
export type { LogErrorCode } from "./entries/log-error.ts";
export { applyStored, foldEntries, foldNew, parseEntries } from "./folds/fold-entries.ts";
export { repairSession, salvageLog } from "./copies/salvage.ts";
export type { LostEntry, Repair, RepairedSession, SalvagedLog } from "./copies/salvage.ts";
export { exportEntries, exportSession, importSession } from "./copies/session-lines.ts";
export type { ImportOptions } from "./copies/session-lines.ts";
export { fromBase64, toBase64 } from "./copies/base64.ts";
export { createCopy, readBlobs } from "./copies/copy-blobs.ts";
export type { NamedBlob, SessionCopy } from "./copies/copy-blobs.ts";
export { forkLog } from "./copies/copy-log.ts";
export { importLog, restoreLog } from "./copies/import-log.ts";
export type { ImportedLog, ImportOrigin, LogImport, LogRestore } from "./copies/import-log.ts";
export type { Fork } from "./copies/copy-log.ts";
export type { ContextFold, ContextSummary, ReportedSize } from "./folds/context-fold.ts";
export type { CompactionFold, CompactionOutcome, CompactRequest } from "./folds/compaction-fold.ts";
export type { OutputFold, ShownOutput } from "./folds/output-fold.ts";
export type { CacheStability, PrefixFold } from "./folds/prefix-fold.ts";
export { SessionFold } from "./folds/session-fold.ts";
export type { EntryPoint, TranscriptFold } from "./folds/transcript-fold.ts";
export { messageFault } from "./entries/value-shapes.ts";
export { chainMark } from "./folds/turn-fold.ts";
export type { InputBody } from "./folds/posted-fold.ts";
export { originOfInput } from "./folds/posted-fold.ts";
export type { StepUnderWay, TurnFold, TurnOrigin } from "./folds/turn-fold.ts";
export type { QueuedItem, QueueFold, QueueOutcome } from "./folds/queue-fold.ts";
export type { PricedUsage, UsageFold } from "./folds/usage-fold.ts";
export type { CallClaim, CallStates, Refusal, RunningCall } from "./folds/call-states.ts";
export { isOverdue } from "./repository/is-overdue.ts";
export type { NextAction, TurnEnd } from "./folds/next-action.ts";
export { entriesOfFacts } from "./entries/entries-of-facts.ts";
export type { FactContext, FactPrice } from "./entries/entries-of-facts.ts";
export { eventsOf } from "./events/events-of.ts";
export type { PlacedEvent } from "./events/events-of.ts";
export { isLiveOnly } from "./events/live-only.ts";
export { ChildProgress } from "./events/child-progress.ts";
export type { ChangedCall, ChildCallShown, ChildShown } from "./events/child-progress.ts";
export { formatTreeCursor, parseTreeCursor } from "./events/tree-cursor.ts";
export type { TreeCursor, TreeListener, TreePosition } from "./events/tree-cursor.ts";
export { TreeQueue } from "./events/tree-queue.ts";
export { TurnOfTree } from "./events/turn-of-tree.ts";
export { WireReader, toWireJson, toWireJsonOfTurn } from "./wire/wire-events.ts";
export type { WireEvent } from "./wire/wire-events.ts";
export { WireTreeReader, toTreeJson, toTreeJsonOfTurn } from "./wire/wire-tree.ts";
export type { WireTreeEvent } from "./wire/wire-tree.ts";
export { toCallAnswer } from "./wire/answers.ts";
export { ShownCalls } from "./wire/shown-calls.ts";
export type { CallToDecide } from "./wire/shown-calls.ts";
export type { Answer, Approval, CallAnswer, ToolResultMessage } from "./wire/answers.ts";
export type {
  AnswersRequest,
  CancelRequest,
  ClaimRequest,
  ClientTurnOverrides,
  EventsQuery,
  ExecuteOptions,
  ExecuteRequest,
  ForkRequest,
  IfPending,
  RewindRequest,
  LentToolDeclaration,
  QueuedInput,
  QueueRequest,
  SessionListQuery,
  SessionQuery,
  SessionTarget,
  UserInput,
} from "./wire/requests.ts";
export type { SessionPosts } from "./wire/session-posts.ts";
export { fromWireError, toWireError } from "./wire/model-stream.ts";
export type {
  ModelAbortReply,
  ModelFrame,
  ModelOptions,
  ModelRequest,
  ModelsReply,
  OfferedModel,
  ServerSideOption,
  WireProviderError,
} from "./wire/model-stream.ts";
export type {
  AnswersReply,
  CancelReply,
  ClaimReply,
  ErrorReply,
  ForkReply,
  RewindReply,
  QueueReply,
  RequestIssue,
  SessionList,
  SessionOverview,
  SessionReply,
  SessionSummary,
} from "./wire/replies.ts";
export type { SessionEvent, SessionIds } from "./events/session-event.ts";
export { EventFeed } from "./events/event-feed.ts";
export { toCheckpointBody } from "./folds/checkpoint.ts";
export { compareCursors, formatCursor, parseCursor, startCursor } from "./events/cursor.ts";
export type { Cursor, EventListener } from "./events/cursor.ts";
