/** Explains failures below HTTP, and what to check. */
import { ProviderError } from "@capstan/kernel";

interface NetworkFault {
  /** Codes of the system, of Node's TLS, or of Node's fetch. */
  readonly codes: readonly string[];
  readonly problem: string;
  /** Whether a retry would fail in the same way. */
  readonly isLasting?: boolean;
}

const faults: readonly NetworkFault[] = [
  {
    codes: ["ECONNREFUSED"],
    problem: "connection refused. Check that the base URL is right and that the server is running",
  },
  {
    codes: ["ENOTFOUND"],
    problem: "unknown host. Check the base URL and the network",
  },
  {
    codes: ["EAI_AGAIN"],
    problem: "the host name could not be resolved. Check the network",
  },
  {
    codes: ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"],
    problem: "the connection was closed by the server",
  },
  {
    codes: ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"],
    problem: "the request timed out. Check the network, and any proxy",
  },
  { codes: ["UND_ERR_BODY_TIMEOUT"], problem: "the reply stopped coming" },
  {
    codes: ["EHOSTUNREACH", "ENETUNREACH"],
    problem: "the host is unreachable. Check the network",
  },
  { codes: ["CERT_HAS_EXPIRED"], problem: "its certificate has expired", isLasting: true },
  {
    codes: [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    problem:
      "its certificate is signed by an unknown authority, such as a company proxy. Add that authority to NODE_EXTRA_CA_CERTS",
    isLasting: true,
  },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    problem: "its certificate is for another host. Check that the base URL is right",
    isLasting: true,
  },
  {
    codes: ["ERR_SSL_WRONG_VERSION_NUMBER", "EPROTO"],
    problem: "the server does not use TLS. Use http:// instead of https://",
    isLasting: true,
  },
];

/** Converts an error of `fetch`, or of reading its body. `doing` ends with the URL, without secrets. */
export function toNetworkError(doing: string, thrown: unknown): ProviderError {
  const code = findCode(thrown);
  const fault = faults.find(({ codes }) => code !== undefined && codes.includes(code));
  const problem = fault?.problem ?? describe(thrown);
  const suffix = code === undefined ? "" : ` (${code})`;
  return new ProviderError("network", `${doing} failed: ${problem}${suffix}`, {
    retryable: fault?.isLasting !== true,
    cause: thrown,
  });
}

/** `fetch` wraps the cause in a TypeError without details, sometimes twice. */
function findCode(thrown: unknown): string | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}
