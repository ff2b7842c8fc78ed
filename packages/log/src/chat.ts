/** `@capstan/log/chat`: the messages of pages that use the AI SDK, as a session has them, for server and client. */
export { readChatRequest, ChatRequestFault, wantedAnswers } from "./chat/chat-request.ts";
export type { ChatAction, ChatAnswer, ChatRequest } from "./chat/chat-request.ts";
export { ChunkEncoder } from "./chat/chunk-encoder.ts";
export type { EncoderOptions } from "./chat/chunk-encoder.ts";
export { ChildChunks } from "./chat/child-chunks.ts";
export type { ChildChunksOptions, DueChunks } from "./chat/child-chunks.ts";
export { nothingAdded } from "./chat/chunks.ts";
export type {
  ChatProtocol,
  Chunk,
  ChunkFinishReason,
  MessageMetadata,
  SteeringPart,
} from "./chat/chunks.ts";
export { findMessage, nextRevision, replyIdOf, turnIdOfMessage } from "./chat/message-ids.ts";
