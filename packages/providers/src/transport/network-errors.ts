/** Failures below HTTP: what went wrong, and what to look at. */
import { ProviderError } from "@capstan/kernel";

interface NetworkFault {
  /** Of the system, of Node's TLS, or of Node's fetch. */
  readonly codes: readonly string[];
  readonly problem: string;
  /** The same will happen again. */
  readonly isLasting?: boolean;
}

const faults: readonly NetworkFault[] = [
  {
    codes: ["ECONNREFUSED"],
    problem: "nothing listens there. Check that the base URL is right and that the server runs",
  },
  {
    codes: ["ENOTFOUND"],
    problem: "there is no such host. Check that the base URL is right, and the network",
  },
  {
    codes: ["EAI_AGAIN"],
    problem: "the name of the host could not be looked up. Check the network",
  },
  {
    codes: ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"],
    problem: "the connection was closed by the other side",
  },
  {
    codes: ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"],
    problem: "no answer in time. Check the network, and a proxy in between",
  },
  { codes: ["UND_ERR_BODY_TIMEOUT"], problem: "the reply stopped coming" },
  {
    codes: ["EHOSTUNREACH", "ENETUNREACH"],
    problem: "the host cannot be reached. Check the network",
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
      "its certificate is signed by somebody unknown, as behind a company's proxy. Name the signer in NODE_EXTRA_CA_CERTS",
    isLasting: true,
  },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    problem: "its certificate is for another host. Check that the base URL is right",
    isLasting: true,
  },
  {
    codes: ["ERR_SSL_WRONG_VERSION_NUMBER", "EPROTO"],
    problem: "it does not speak TLS there. Use http:// instead of https://",
    isLasting: true,
  },
];

/** What `fetch`, or the reading of its body, threw. `doing` ends in the URL, without anything secret in it. */
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

/** `fetch` wraps what happened in a TypeError that says nothing, sometimes twice. */
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
