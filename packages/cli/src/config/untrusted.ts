/** What holds of a project's file that nobody trusts: nothing that could run code, allow it, pay for it, or send keys elsewhere. */
import type { FileSettings } from "./schema.ts";

export interface UntrustedPart {
  readonly settings: FileSettings;
  /** Names of what does nothing. */
  readonly leftOut: readonly string[];
}

/** `vendorIds`: those that are known without the file. */
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

/** A name without a vendor is looked for among the models of those that are known. */
function isOfVendor(model: string, vendorIds: ReadonlySet<string>): boolean {
  const slash = model.indexOf("/");
  return slash === -1 || vendorIds.has(model.slice(0, slash));
}
