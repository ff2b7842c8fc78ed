/** Finds the proxy for a request, from the usual environment variables. */
import { ProviderError } from "@capstan/kernel";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads `https_proxy` or `HTTPS_PROXY` for https, `http_proxy` or `HTTP_PROXY` for http; lower case first, as in curl and Node. Undefined for a
 * host that `no_proxy` or `NO_PROXY` lists. Throws a `ProviderError` for an invalid proxy.
 */
export function findProxy(url: URL, env: Env): URL | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const value = valueOf(env, name);
  if (value === undefined || isExcluded(url, valueOf(env, "no_proxy") ?? "")) return undefined;
  const text = value.includes("://") ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy !== undefined && /^https?:$/.test(proxy.protocol)) return proxy;
  // Not quoted: the value may contain a password.
  throw new ProviderError(
    "invalid_request",
    `The proxy in ${name.toUpperCase()} is not an http or https URL: correct it, or add ${url.hostname} to NO_PROXY`,
  );
}

function valueOf(env: Env, name: string): string | undefined {
  const found = [env[name], env[name.toUpperCase()]].map((value) => value?.trim());
  return found.find((value) => value !== undefined && value !== "");
}

/** A name matches itself and its subdomains; a port, if given, must match too. */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.toLowerCase();
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", wanted] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? ["", entry];
      const ending = name.replace(/^\*?\./, "");
      if (ending === "" || (wanted !== undefined && wanted !== ownPort)) return false;
      return [ending, `[${ending}]`].includes(host) || host.endsWith(`.${ending}`);
    });
}

/** Whether the host is this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname.toLowerCase());
}
