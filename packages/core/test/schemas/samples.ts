/** One sample of every object that has a schema, apart from the events. */
import type { ChatMessage, DocumentPart, ImagePart, PendingCall } from "@capstan/kernel";
import * as schemas from "../../src/schemas.ts";
import { anyJson, sample } from "./sample.ts";
import type { Sample } from "./sample.ts";

const user: ChatMessage = { role: "user", id: "m1", content: "Hello" };

const pendingCall: PendingCall = {
  toolCallId: "k1",
  kind: "approval",
  toolName: "book",
  input: anyJson,
  hash: "h1",
};

export const samples = {
  Usage: sample(
    schemas.UsageSchema,
    {},
    {
      inputTokens: 1_000,
      outputTokens: 20,
      cacheReadTokens: 900,
      cacheWriteTokens: 0,
      reasoningTokens: 5,
      unreportedAttempts: 1,
    },
  ),
  StepTiming: sample(schemas.StepTimingSchema, { totalMs: 30 }, { ttftMs: 10, decodeMs: 20 }),
  SerializedError: sample(
    schemas.SerializedErrorSchema,
    { name: "ProviderError", message: "Too many requests" },
    { code: "rate_limit", rejected: { messageId: "u1", part: 0 }, guard: "no_secrets" },
  ),
  Origin: sample(
    schemas.OriginSchema,
    { provider: "acme" },
    { api: "chat", model: "big", host: "acme.example" },
  ),
  TextPart: sample(
    schemas.TextPartSchema,
    { type: "text", text: "Hello" },
    { providerData: anyJson },
  ),
  ThinkingPart: sample(
    schemas.ThinkingPartSchema,
    { type: "thinking", thinking: "Hm" },
    { providerData: anyJson },
  ),
  RefusalPart: sample(
    schemas.RefusalPartSchema,
    { type: "refusal", text: "No" },
    { providerData: anyJson },
  ),
  ToolCallPart: sample(
    schemas.ToolCallPartSchema,
    { type: "tool_call", id: "k1", name: "book", input: anyJson },
    { malformedInput: "{", isProviderExecuted: true, providerData: anyJson },
  ),
  NativePart: sample(schemas.NativePartSchema, { type: "native", data: anyJson }, {}),
  ImagePart: sample<Extract<ImagePart, { readonly data: string }>>(
    schemas.ImagePartSchema as never,
    { type: "image", mediaType: "image/png", data: "AAAA" },
    {},
  ),
  DocumentPart: sample<Extract<DocumentPart, { readonly data: string }>>(
    schemas.DocumentPartSchema as never,
    { type: "document", mediaType: "application/pdf", data: "AAAA" },
    { name: "report.pdf" },
  ),
  SystemMessage: sample(
    schemas.SystemMessageSchema,
    { role: "system", id: "m0", content: "Be brief." },
    {},
  ),
  UserMessage: sample(
    schemas.UserMessageSchema,
    { role: "user", id: "m1", content: "Hello" },
    { source: "repair", metadata: anyJson },
  ),
  AssistantMessage: sample(
    schemas.AssistantMessageSchema,
    {
      role: "assistant",
      id: "m2",
      content: [{ type: "text", text: "Hi" }],
      stopReason: "stop",
    },
    {
      usage: { inputTokens: 1 },
      origin: { provider: "acme" },
      metadata: anyJson,
      error: { name: "Error", message: "cut" },
    },
  ),
  ToolMessage: sample(
    schemas.ToolMessageSchema,
    {
      role: "tool",
      id: "k1",
      toolCallId: "k1",
      toolName: "book",
      content: "Booked",
      isError: false,
    },
    {
      details: anyJson,
      isDenied: false,
      meta: anyJson,
      kept: { blob: "b1", mediaType: "text/plain", chars: 90_000 },
      isTerminal: true,
    },
  ),
  KeptOutput: sample(
    schemas.KeptOutputSchema,
    { blob: "b1", mediaType: "application/json", chars: 90_000 },
    {},
  ),
  CustomMessage: sample(
    schemas.CustomMessageSchema,
    { role: "custom", id: "m3", kind: "note", data: anyJson },
    {},
  ),
  PendingCall: sample(schemas.PendingCallSchema, pendingCall, {
    deadlineAt: 5_000,
    reason: "It costs money",
    lentBy: "tab-1",
    via: [{ agent: "researcher", sessionId: "s2", toolCallId: "c1" }],
  }),
  CallAnswer: sample(
    schemas.CallAnswerSchema,
    { toolCallId: "k1", output: "blue" },
    { isError: true, details: anyJson },
  ),
  Approval: sample(
    schemas.ApprovalSchema,
    { toolCallId: "k1", hash: "h1", approved: false },
    { reason: "Too dear" },
  ),
  // Its type is open, so it is not asked for its fields.
  StoredEntry: {
    schema: schemas.StoredEntrySchema,
    required: { seq: 1, v: 1, type: "created", id: "e1", at: 1_000 },
    optional: {},
  },
  TurnResponse: sample(
    schemas.TurnResponseSchema,
    {
      status: "completed",
      text: "Hi",
      hasAnswer: true,
      messages: [user],
      finishReason: "stop",
      usage: {},
    },
    {
      cost: 0.5,
      pendingToolCalls: [pendingCall],
      metadata: anyJson,
      output: anyJson,
      error: { name: "Error", message: "cut" },
    },
  ),
  SessionSnapshot: sample(
    schemas.SessionSnapshotSchema,
    {
      version: 1,
      id: "s1",
      agent: "helper",
      createdAt: 1_000,
      updatedAt: 2_000,
      status: "awaiting_tool_execution",
      messages: [user],
      pendingToolCalls: [pendingCall],
      usage: { inputTokens: 1 },
      entries: [{ seq: 1, v: 1, type: "created", id: "e1", at: 1_000, agent: "helper" }],
    },
    {
      cwd: "/work",
      provider: "acme",
      model: "big",
      title: "Greetings",
      principal: "ann",
      metadata: anyJson,
      totalCost: 0.5,
      artifacts: [{ toolCallId: "c1", blob: "b1", mediaType: "text/plain", chars: 9 }],
      blobs: [{ blob: "b1", data: "AAAA" }],
    },
  ),
  StoredBlob: sample(schemas.StoredBlobSchema, { blob: "b1", data: "AAAA" }, {}),
} satisfies Readonly<Record<string, Sample>>;
