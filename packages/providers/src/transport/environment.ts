/** The variables of the process, where there is one. */

/** Empty in a browser. The types of Node promise more than every host has. */
export function environment(): Readonly<Record<string, string | undefined>> {
  const host = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  return host.process?.env ?? {};
}

/** False in a browser, which names itself in requests. */
export function hasProcess(): boolean {
  return "process" in globalThis;
}
