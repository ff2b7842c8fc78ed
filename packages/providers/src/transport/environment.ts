/** Environment variables, if there is a process. */

/** Empty in a browser. Node's types promise more than every host has. */
export function environment(): Readonly<Record<string, string | undefined>> {
  const host = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  return host.process?.env ?? {};
}

/** False in a browser, which sets its own user agent. */
export function hasProcess(): boolean {
  return "process" in globalThis;
}
