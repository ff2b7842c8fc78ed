import * as aiSdk from "@capstan/providers/ai-sdk";
import * as anthropic from "@capstan/providers/anthropic";
import * as complete from "@capstan/providers/complete";
import * as google from "@capstan/providers/google";
import * as offline from "@capstan/providers/offline";
import * as openai from "@capstan/providers/openai";
import * as openaiCompatible from "@capstan/providers/openai-compatible";
import * as partialJson from "@capstan/providers/partial-json";
import * as vendors from "@capstan/providers/vendors";
import * as withFallback from "@capstan/providers/with-fallback";
import * as wrapProvider from "@capstan/providers/wrap-provider";
import { expect, test } from "vitest";

test.each([
  [
    "@capstan/providers/ai-sdk",
    aiSdk,
    ["fromAiSdk", "fromAiSdkMessages", "fromAiSdkTools", "toAiSdkMessages", "toAiSdkTools"],
  ],
  ["@capstan/providers/anthropic", anthropic, ["anthropic"]],
  ["@capstan/providers/complete", complete, ["complete"]],
  ["@capstan/providers/google", google, ["google"]],
  ["@capstan/providers/offline", offline, ["offlineProvider"]],
  ["@capstan/providers/openai", openai, ["openai"]],
  ["@capstan/providers/openai-compatible", openaiCompatible, ["openaiCompatible"]],
  ["@capstan/providers/partial-json", partialJson, ["parsePartialJson"]],
  ["@capstan/providers/vendors", vendors, ["vendorFunction", "vendorRows", "vendors"]],
  ["@capstan/providers/with-fallback", withFallback, ["withFallback"]],
  ["@capstan/providers/wrap-provider", wrapProvider, ["wrapProvider"]],
])("%s exports these names and no others", (_, entry, names) => {
  expect(Object.keys(entry).toSorted()).toEqual(names);
});
