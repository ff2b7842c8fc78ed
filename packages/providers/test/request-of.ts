/** Requests as the kernel makes them, without the kernel. */
import type { ProviderRequest } from "@capstan/kernel";

export function requestOf(request: Partial<ProviderRequest>): ProviderRequest {
  return {
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    tools: [],
    options: {},
    signal: new AbortController().signal,
    conversationId: "c1",
    turnId: "t1",
    step: 1,
    attempt: 1,
    ...request,
  };
}
