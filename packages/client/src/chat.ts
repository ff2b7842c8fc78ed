/** `@capstan/client/chat`: sessions as the transport of `useChat` of the AI SDK. */
export { chatTransport } from "./chat/chat-transport.ts";
export type {
  ChatResume,
  ChatSend,
  ChatTransportOptions,
  SessionTransport,
} from "./chat/chat-transport.ts";
export type {
  ChatProtocol,
  Chunk,
  ChunkFinishReason,
  MessageMetadata,
  SteeringPart,
} from "@capstan/log/chat";
