/** `@capstan/client/proxy`: models of a server as a provider for agents that run in this process or page. */
export { proxyProvider } from "./proxy/proxy-provider.ts";
export type { ProxyProviderOptions } from "./proxy/proxy-provider.ts";
