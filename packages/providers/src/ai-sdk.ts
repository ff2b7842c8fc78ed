/** `@capstan/providers/ai-sdk`: converts models, tools and messages from and to the AI SDK. */
export { fromAiSdk } from "./ai-sdk/from-model.ts";
export type { FromAiSdkOptions } from "./ai-sdk/from-model.ts";
export type { AiSdkModel } from "./ai-sdk/model.ts";
export { fromAiSdkMessages } from "./ai-sdk/from-messages.ts";
export type { AnyAiSdkMessage, FromAiSdkMessagesOptions } from "./ai-sdk/from-messages.ts";
export { toAiSdkMessages } from "./ai-sdk/to-messages.ts";
export type { ToAiSdkMessagesOptions } from "./ai-sdk/to-messages.ts";
export type { AiSdkMessage } from "./ai-sdk/prompt.ts";
export { fromAiSdkTools } from "./ai-sdk/from-tools.ts";
export type {
  AiSdkToolContract,
  AnyAiSdkTool,
  FromAiSdkToolsOptions,
} from "./ai-sdk/from-tools.ts";
export { toAiSdkTools } from "./ai-sdk/to-tools.ts";
export type { AiSdkCall, AiSdkTool, ToAiSdkToolsOptions } from "./ai-sdk/to-tools.ts";
export type { VendorModel } from "./vendors/vendor-function.ts";
