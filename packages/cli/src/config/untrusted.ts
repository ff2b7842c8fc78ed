/** The part of an untrusted project file that takes effect: nothing that could run code, allow it, pay for it, or send keys elsewhere. */
import type { FileSettings } from "./schema.ts";

export interface UntrustedPart {
  readonly settings: FileSettings;
  /** Names of the ignored settings. */
  readonly leftOut: readonly string[];
}

/** `vendorIds`: vendors known without the file. */
export function untrustedPart(
  { model, thinking, planning, permissions = {}, ...others }: FileSettings,
  vendorIds: ReadonlySet<string>,
): UntrustedPart {
  const { allow, ...limits } = permissions;
  const isKnownModel = model !== undefined && isOfVendor(model, vendorIds);
  return {
    settings: {
      ...(isKnownModel && { model }),
      ...(thinking !== undefined && { thinking }),
      ...(planning && { planning }),
      permissions: limits,
    },
    leftOut: [
      ...(model === undefined || isKnownModel ? [] : ["model"]),
      ...(allow === undefined ? [] : ["permissions.allow"]),
      ...Object.keys(others).filter((key) => key !== "$schema"),
    ],
  };
}

/** A name without a vendor is resolved among the models of known vendors. */
function isOfVendor(model: string, vendorIds: ReadonlySet<string>): boolean {
  const slash = model.indexOf("/");
  return slash === -1 || vendorIds.has(model.slice(0, slash));
}
