/** Fields of requests that choose how a model replies. */
import type { SamplingSettings, ThinkingLevel, ToolChoice } from "@capstan/kernel";
import { z } from "zod";

export const toolName: z.ZodType<string> = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");

export const toolChoice: z.ZodType<ToolChoice> = z.union([
  z.enum(["auto", "none", "required"]),
  z.strictObject({ tool: z.string().min(1) }),
]);

const thinkingLevel: z.ZodType<ThinkingLevel> = z.enum([
  ...["off", "minimal", "low", "medium", "high", "xhigh", "max"],
] as const);

type Chosen = Omit<SamplingSettings, "serviceTier"> & { readonly thinkingLevel?: ThinkingLevel };

export const samplingFields: {
  readonly [Field in keyof Chosen]-?: z.ZodExactOptional<z.ZodType<Required<Chosen>[Field]>>;
} = {
  thinkingLevel: thinkingLevel.exactOptional(),
  temperature: z.number().min(0).max(2).exactOptional(),
  maxTokens: z.int().min(1).max(10_000_000).exactOptional(),
  topP: z.number().min(0).max(1).exactOptional(),
  topK: z.int().min(0).max(1_000_000).exactOptional(),
  stop: z.array(z.string().min(1).max(1_000)).max(16).exactOptional(),
  seed: z.int().exactOptional(),
  frequencyPenalty: z.number().min(-2).max(2).exactOptional(),
  presencePenalty: z.number().min(-2).max(2).exactOptional(),
};
