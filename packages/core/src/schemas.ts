/** `@capstan/core/schemas`: zod schemas of what crosses a boundary. Apart from the rest, as zod takes longer to load than all of it. */
export { AnswerSchema, ApprovalSchema, CallAnswerSchema } from "./schemas/answer.ts";
export { JsonValueSchema } from "./schemas/json-value.ts";
export {
  AssistantMessageSchema,
  ChatMessageSchema,
  CustomMessageSchema,
  KeptOutputSchema,
  OriginSchema,
  SystemMessageSchema,
  ToolMessageSchema,
  UserMessageSchema,
} from "./schemas/messages.ts";
export {
  AssistantPartSchema,
  DocumentPartSchema,
  ImagePartSchema,
  NativePartSchema,
  RefusalPartSchema,
  TextPartSchema,
  ThinkingPartSchema,
  ToolCallPartSchema,
  ToolContentPartSchema,
  ToolContentSchema,
  UserPartSchema,
} from "./schemas/parts.ts";
export { PendingCallSchema } from "./schemas/pending-call.ts";
export { SerializedErrorSchema } from "./schemas/serialized-error.ts";
export {
  SessionSnapshotSchema,
  StoredBlobSchema,
  StoredEntrySchema,
} from "./schemas/session-snapshot.ts";
export { TurnEventBodySchema, TurnEventSchema } from "./schemas/turn-events.ts";
export { TurnResponseSchema } from "./schemas/turn-response.ts";
export { StepTimingSchema, UsageSchema } from "./schemas/usage.ts";
export { ToolOutputSchema } from "./tools/tool-output-schema.ts";
