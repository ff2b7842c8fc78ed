/** `@capstan/testing/emulators`: vendors' services on the loopback interface, as strict as the real ones. Needs Node. */
export { anthropicEmulator } from "./emulators/anthropic/anthropic-emulator.ts";
export type { AnthropicEmulatorOptions } from "./emulators/anthropic/anthropic-emulator.ts";
export { googleEmulator } from "./emulators/google/google-emulator.ts";
export type { GoogleEmulatorOptions } from "./emulators/google/google-emulator.ts";
export { blockedPrompt } from "./emulators/google/blocked-prompt.ts";
export { openAiChatEmulator } from "./emulators/openai-chat/openai-chat-emulator.ts";
export type { OpenAiChatEmulatorOptions } from "./emulators/openai-chat/openai-chat-emulator.ts";
export type { ChatDialectName } from "./emulators/openai-chat/dialects.ts";
export type { ChatQuirks } from "./emulators/openai-chat/dialect.ts";
export { openAiResponsesEmulator } from "./emulators/openai-responses/openai-responses-emulator.ts";
export { commentary } from "./emulators/openai-responses/commentary.ts";
export type { Emulator, EmulatorOptions } from "./emulators/emulator.ts";
export type { RefusedRequest } from "./emulators/desk.ts";
export type {
  EmulatedRequest,
  EmulatorScriptItem,
  WireRequest,
} from "./emulators/emulated-request.ts";
export { cutConnection, overload, respondWith, throttle } from "./emulators/wire-faults.ts";
export type { WireAnswer } from "./emulators/wire-faults.ts";
