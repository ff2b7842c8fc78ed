/** LM Studio, by default on this machine. */
import { openAiChat } from "../protocols/openai-chat/openai-chat.ts";
import type { Vendor } from "../wire/vendor.ts";

export const lmStudioVendor: Vendor = {
  id: "lmstudio",
  name: "LM Studio",
  protocol: openAiChat,
  baseUrl: "http://127.0.0.1:1234/v1",
  baseUrlVariable: "LMSTUDIO_BASE_URL",
  hasServerApi: true,
  isLocal: true,
  keyVariable: undefined,
  quirks: { chat: { refusesUrls: true } },
};
