import { describe } from "vitest";
import { decodesRecordedReplies } from "../fixtures-harness/recorded-replies.ts";
import { chatAdapter } from "./chat-adapter.ts";
import { anyServer } from "./requests.ts";

describe("Chat Completions", () => {
  decodesRecordedReplies({ vendor: anyServer, adapter: chatAdapter, model: "a-model" });
});
