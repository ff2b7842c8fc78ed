/** A request that an emulator accepted, as it came and as a script sees it. */
import type { ProviderRequest, Usage } from "@capstan/kernel";
import type { Fragment } from "../script/script-item.ts";
import type { WireHeaders } from "./emulation.ts";
import type { JsonObject } from "./json.ts";

export interface WireRequest {
  readonly headers: WireHeaders;
  readonly body: JsonObject;
  /** What it costs by the emulator's estimate, and how much of it the emulated prompt cache had. */
  readonly usage: Usage;
}

/** What a function of a script gets: the request in the words of the contract, and the wire's own. */
export interface EmulatedRequest extends ProviderRequest {
  readonly wire: WireRequest;
}

/** As in any script, but its functions may look at the wire. */
export type EmulatorScriptItem =
  | Fragment
  | readonly EmulatorScriptItem[]
  | ((request: EmulatedRequest) => EmulatorScriptItem | Promise<EmulatorScriptItem>);
