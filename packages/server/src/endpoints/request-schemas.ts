/** Request schemas. Fields that are not listed are rejected. */
import { JsonValueSchema } from "@capstan/core/schemas";
import type { JsonSchema, UserPart } from "@capstan/kernel";
import type {
  Answer,
  AnswersRequest,
  Approval,
  CallAnswer,
  CancelRequest,
  ClaimRequest,
  EventsQuery,
  ExecuteRequest,
  ForkRequest,
  RewindRequest,
  LentToolDeclaration,
  ModelRequest,
  QueuedInput,
  QueueRequest,
  SessionListQuery,
  SessionQuery,
  SessionTarget,
  UserInput,
} from "@capstan/log";
import { toCallAnswer } from "@capstan/log";
import { z } from "zod";
import type { ChatQuery } from "../chat/chat-endpoints.ts";
import type { ChatProtocol, ChatRequest } from "@capstan/log/chat";
import { maxCursorChars, maxPageEntries } from "../guard/limits.ts";
import { ModelRequestSchema } from "./model-request-schema.ts";
import { samplingFields, toolChoice, toolName } from "./sampling-fields.ts";

const text = z.string().min(1);
/** Id of a turn or a queued message, with the same rules as `checkTurnId` of core. */
const turnId = z
  .string()
  .regex(
    /^(?!.*__)(?!.*_\d+$)[\w-]{1,48}$/,
    'must be 1 to 48 letters, digits, "_" or "-", without "__" and without a trailing "_" and number',
  );
/** Id of a session, or the client's own key for it. */
const sessionId = z
  .string()
  .regex(/^(?!\.{1,2}$)[\w.:@+=-]{1,128}$/, 'must be 1 to 128 letters, digits or "_ . : @ + = -"');
/** Name a client gives itself, for example one per browser tab. */
const client = z
  .string()
  .regex(/^[\w.:@+=-]{1,64}$/, 'must be 1 to 64 letters, digits or "_ . : @ + = -"');
const base64 = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9+/_=\s-]*$/, "must be base64: URLs are not fetched");
/** For servers that allow it, which is checked after the schema. */
const mediaUrl = z.string().min(1).max(8_192);
const document = {
  type: z.literal("document"),
  mediaType: text,
  name: z.string().exactOptional(),
};
/** As reported by the server. */
const incarnation = z.string().min(1).max(200);
const reason = z.string().max(1_000);

// Strict, because an unknown field may have a meaning in a deeper layer.
const PartSchema: z.ZodType<UserPart> = z.union([
  z.strictObject({ type: z.literal("text"), text }),
  z.union([
    z.strictObject({ type: z.literal("image"), mediaType: text, data: base64 }),
    z.strictObject({ type: z.literal("image"), mediaType: text, url: mediaUrl }),
  ]),
  z.union([
    z.strictObject({ ...document, data: base64 }),
    z.strictObject({ ...document, url: mediaUrl }),
  ]),
]);

const UserInputSchema: z.ZodType<UserInput> = z.strictObject({
  role: z.literal("user", { error: 'must be "user": clients can send only user messages' }),
  content: z.union([text, z.array(PartSchema).min(1)]),
  metadata: JsonValueSchema.exactOptional(),
});

const QueuedInputSchema: z.ZodType<QueuedInput> = z.union([
  text,
  z.array(PartSchema).min(1),
  UserInputSchema,
]);

// Stricter than the schemas of core, which ignore unknown fields: a sender may rely on a field that is ignored.
const ApprovalSchema: z.ZodType<Approval> = z.strictObject({
  toolCallId: z.string(),
  hash: z.string(),
  approved: z.boolean(),
  reason: z.string().exactOptional(),
});

const CallAnswerSchema: z.ZodType<CallAnswer> = z.strictObject({
  toolCallId: z.string(),
  isError: z.boolean().exactOptional(),
  output: z.union([z.string(), z.array(PartSchema)]),
  details: JsonValueSchema.exactOptional(),
});

const ToolResultMessageSchema: z.ZodType<CallAnswer> = z
  .strictObject({
    role: z.enum(["tool", "toolResult"]),
    toolCallId: z.string(),
    content: z.union([z.string(), z.array(PartSchema)]),
    isError: z.boolean().exactOptional(),
    details: JsonValueSchema.exactOptional(),
    toolName: z.string().exactOptional(),
    id: z.string().exactOptional(),
  })
  .transform(toCallAnswer);

const AnswerListSchema: z.ZodType<readonly Answer[]> = z
  .array(z.union([ApprovalSchema, CallAnswerSchema, ToolResultMessageSchema]))
  .min(1)
  .max(256);

const JsonSchemaSchema: z.ZodType<JsonSchema> = z.record(z.string(), JsonValueSchema);

/** Options of a tool that its client keeps to itself, because it runs the tool. They are in the JSON of a tool, and dropped. */
const ignored = z.unknown().exactOptional();

const LentToolSchema: z.ZodType<LentToolDeclaration> = z
  .strictObject({
    name: toolName,
    description: text,
    inputSchema: JsonSchemaSchema,
    label: z.string().max(200).exactOptional(),
    needsApproval: z.boolean().exactOptional(),
    answerWithinMs: z.int().min(1).exactOptional(),
    effect: ignored,
    execution: ignored,
    timeoutMs: ignored,
    ephemeral: ignored,
    isTerminal: ignored,
    lentBy: ignored,
  })
  .transform(
    ({
      effect: _1,
      execution: _2,
      timeoutMs: _3,
      ephemeral: _4,
      isTerminal: _5,
      lentBy: _6,
      ...tool
    }) => tool,
  );

// Neither vendor options nor a service tier: both affect what the server pays for, and who gets the data.
const ExecuteOptionsSchema: z.ZodType<NonNullable<ExecuteRequest["options"]>> = z.strictObject({
  model: text.exactOptional(),
  toolChoice: toolChoice.exactOptional(),
  ...samplingFields,
  ifPending: z
    .union([z.enum(["refuse", "settle"]), z.strictObject({ settle: reason.min(1) })])
    .exactOptional(),
  tree: z.boolean().exactOptional(),
});

const ContextSchema: z.ZodType<NonNullable<ExecuteRequest["context"]>> = z.strictObject({
  messages: z.array(UserInputSchema).max(1_000).exactOptional(),
  tools: z.array(LentToolSchema).exactOptional(),
});

const ExecuteRequestSchema: z.ZodType<ExecuteRequest> = z.strictObject({
  sessionId: sessionId.exactOptional(),
  incarnation: incarnation.exactOptional(),
  input: z.union([QueuedInputSchema, z.array(UserInputSchema).min(1).max(64), AnswerListSchema]),
  id: turnId.exactOptional(),
  agent: text.exactOptional(),
  client: client.exactOptional(),
  context: ContextSchema.exactOptional(),
  options: ExecuteOptionsSchema.exactOptional(),
});

const QueueRequestSchema: z.ZodType<QueueRequest> = z.strictObject({
  input: QueuedInputSchema,
  id: turnId.exactOptional(),
  incarnation: incarnation.exactOptional(),
});

const AnswersRequestSchema: z.ZodType<AnswersRequest> = z.strictObject({
  answers: AnswerListSchema,
  incarnation: incarnation.exactOptional(),
});

const ClaimRequestSchema: z.ZodType<ClaimRequest> = z.strictObject({
  toolCallId: text.max(200),
  client,
  leaseMs: z.int().min(1).exactOptional(),
  incarnation: incarnation.exactOptional(),
});

/** The id of a turn that continues another contains the mark of its chain. */
const CancelRequestSchema: z.ZodType<CancelRequest> = z.strictObject({
  turnId: z.string().regex(/^[\w-]{1,64}$/, "must be a turn id"),
  reason: reason.exactOptional(),
  incarnation: incarnation.exactOptional(),
});

const ForkRequestSchema: z.ZodType<ForkRequest> = z.strictObject({
  at: text.max(200).exactOptional(),
  incarnation: incarnation.exactOptional(),
});

const RewindRequestSchema: z.ZodType<RewindRequest> = z.strictObject({
  to: text.max(200),
  before: z.boolean().exactOptional(),
  id: turnId.exactOptional(),
  incarnation: incarnation.exactOptional(),
});

const EventsQuerySchema: z.ZodType<EventsQuery> = z.strictObject({
  // Parsed by the endpoint: a cursor of a tree differs from that of a session.
  after: z.string().max(maxCursorChars).exactOptional(),
  tree: z.enum(["0", "1"]).exactOptional(),
  incarnation: incarnation.exactOptional(),
});

const SessionQuerySchema: z.ZodType<SessionQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(maxPageEntries).exactOptional(),
  sinceSeq: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).exactOptional(),
  incarnation: incarnation.exactOptional(),
});

const SessionTargetSchema: z.ZodType<SessionTarget> = z.strictObject({
  incarnation: incarnation.exactOptional(),
});

const SessionListQuerySchema: z.ZodType<SessionListQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).exactOptional(),
  after: z.string().max(300).exactOptional(),
  agent: text.max(200).exactOptional(),
  status: z
    .enum(["idle", "running", "awaiting_tool_execution", "completed", "error"])
    .exactOptional(),
});

const NoQuerySchema: z.ZodType<object> = z.strictObject({});

/** Not strict: pages add fields of their own, and a transport sends more than the server reads. */
const ChatRequestSchema: z.ZodType<ChatRequest> = z.looseObject({
  id: sessionId,
  trigger: z.enum(["submit-message", "regenerate-message"]).exactOptional(),
  messageId: z.string().max(200).exactOptional(),
  messages: z.array(z.unknown()).min(1).exactOptional(),
  message: z.unknown().exactOptional(),
  agent: z.string().exactOptional(),
});

const ChatQuerySchema: z.ZodType<ChatQuery> = z.strictObject({
  protocol: z
    .enum(["5", "6", "7"])
    .transform((text) => Number(text) as ChatProtocol)
    .exactOptional(),
});

/** Validated input of endpoints, by the name of its schema. */
export interface RequestInputs {
  readonly ExecuteRequest: ExecuteRequest;
  readonly QueueRequest: QueueRequest;
  readonly AnswersRequest: AnswersRequest;
  readonly ClaimRequest: ClaimRequest;
  readonly CancelRequest: CancelRequest;
  readonly ForkRequest: ForkRequest;
  readonly RewindRequest: RewindRequest;
  readonly EventsQuery: EventsQuery;
  readonly SessionQuery: SessionQuery;
  readonly SessionTarget: SessionTarget;
  readonly SessionListQuery: SessionListQuery;
  readonly ChatRequest: ChatRequest;
  readonly ChatQuery: ChatQuery;
  readonly ModelRequest: ModelRequest;
  readonly NoQuery: object;
}

export const requestSchemas: {
  readonly [Name in keyof RequestInputs]: z.ZodType<RequestInputs[Name]>;
} = {
  ExecuteRequest: ExecuteRequestSchema,
  QueueRequest: QueueRequestSchema,
  AnswersRequest: AnswersRequestSchema,
  ClaimRequest: ClaimRequestSchema,
  CancelRequest: CancelRequestSchema,
  ForkRequest: ForkRequestSchema,
  RewindRequest: RewindRequestSchema,
  EventsQuery: EventsQuerySchema,
  SessionQuery: SessionQuerySchema,
  SessionTarget: SessionTargetSchema,
  SessionListQuery: SessionListQuerySchema,
  ChatRequest: ChatRequestSchema,
  ChatQuery: ChatQuerySchema,
  ModelRequest: ModelRequestSchema,
  NoQuery: NoQuerySchema,
};
