/** `@capstan/providers/offline`: a provider without a language model that looks around with the tools it is given. */
import type {
  ProviderContract,
  ProviderPart,
  ProviderRequest,
  ToolDeclaration,
} from "@capstan/kernel";
import { planMove } from "./offline/plan-move.ts";
import { readTurn } from "./offline/turn-so-far.ts";

/**
 * A provider without a model, a key or a network. Its reply depends on the request alone: it lists the folder and
 * reads a file or two (tools named `ls` and `read`), then describes the results in plain sentences. It makes no calls
 * if the tool choice is `none`, reports no usage, and stops when the request's signal fires.
 */
export function offlineProvider(): ProviderContract {
  return { id: "offline", contextWindow: 200_000, stream };
}

async function* stream(request: ProviderRequest): AsyncGenerator<ProviderPart> {
  const move = planMove(readTurn(request.messages), usableTools(request));
  yield { type: "start", origin: { provider: "offline" } };
  for (const delta of piecesOf(move.text, /\S+\s*|\s+/g)) {
    request.signal.throwIfAborted();
    yield { type: "text_delta", delta };
  }
  for (const [index, { name, path }] of move.calls.entries()) {
    yield { type: "toolcall_start", index, name };
    for (const delta of piecesOf(JSON.stringify({ path }), /.{1,8}/gsu)) {
      request.signal.throwIfAborted();
      yield { type: "toolcall_delta", index, delta };
    }
    yield { type: "toolcall_end", index };
  }
  yield { type: "finish", reason: move.calls.length > 0 ? "tool-calls" : "stop" };
}

function usableTools({ tools, toolChoice, options }: ProviderRequest): ReadonlySet<string> {
  const choice = toolChoice ?? options.toolChoice ?? "auto";
  const isUsable = ({ name }: ToolDeclaration): boolean =>
    typeof choice === "string" ? choice !== "none" : choice.tool === name;
  return new Set(tools.filter(isUsable).map(({ name }) => name));
}

function piecesOf(text: string, piece: RegExp): readonly string[] {
  return text.match(piece) ?? [];
}
