/** A request that an emulator accepted, on the wire and as a script sees it. */
import type { ProviderRequest, Usage } from "@capstan/kernel";
import type { Fragment } from "../script/script-item.ts";
import type { WireHeaders } from "./emulation.ts";
import type { JsonObject } from "./json.ts";

/** A request that the emulator accepted, as it arrived. */
export interface WireRequest {
  readonly headers: WireHeaders;
  readonly body: JsonObject;
  /** Estimated usage, including hits of the emulated prompt cache. */
  readonly usage: Usage;
}

/** Argument of a script's function: the request in terms of the contract, and on the wire. */
export interface EmulatedRequest extends ProviderRequest {
  readonly wire: WireRequest;
}

/** Like any script item, but its functions may look at the wire. */
export type EmulatorScriptItem =
  | Fragment
  | readonly EmulatorScriptItem[]
  | ((request: EmulatedRequest) => EmulatorScriptItem | Promise<EmulatorScriptItem>);
