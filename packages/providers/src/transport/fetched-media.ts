/** Replaces media URLs by data that the caller's fetcher provides. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  ProviderRequest,
  TextPart,
  UserPart,
} from "@capstan/kernel";
import type { Linked } from "../projection/shown-media.ts";
import { leftOut } from "../projection/shown-media.ts";
import type { FetchMedia, Vendor } from "../wire/vendor.ts";
import { toBase64 } from "../wire/to-base64.ts";

/** Timeout for one fetch. */
const timeoutMs = 30_000;
/** Maximum per request. The rest is replaced by a note. */
const maxFetched = 100;
/** For vendors that state no limits. */
const defaultMaxBytes = 20_000_000;

type Shown = ImagePart | DocumentPart | TextPart;

/** Returns the request with data instead of URLs. If a URL is not available, the model gets a note. Throws only if the signal fires. */
export async function withFetchedMedia(
  request: ProviderRequest,
  { media }: Vendor,
  fetchMedia: FetchMedia,
  signal: AbortSignal,
): Promise<ProviderRequest> {
  const { messages, tools, toolChoice, options, conversationId, turnId, step, attempt } = request;
  const links = messages.flatMap(partsOf).filter(isLinked);
  if (links.length === 0) return request;
  const shown = new Map<string, Promise<Shown>>();
  for (const part of links) {
    const isNew = !shown.has(keyOf(part)) && shown.size < maxFetched;
    if (isNew) shown.set(keyOf(part), fetchPart(part, media, fetchMedia, signal));
  }
  const found = new Map<string, Shown>();
  for (const [key, part] of shown) found.set(key, await part);
  signal.throwIfAborted();
  const show = (part: UserPart): UserPart =>
    isLinked(part) ? (found.get(keyOf(part)) ?? told(part)) : part;
  return {
    messages: messages.map((message) => withParts(message, show)),
    tools,
    ...(toolChoice && { toolChoice }),
    options,
    signal: request.signal,
    conversationId,
    turnId,
    step,
    attempt,
  };
}

async function fetchPart(
  part: Linked<ImagePart | DocumentPart>,
  media: Vendor["media"],
  fetchMedia: FetchMedia,
  signal: AbortSignal,
): Promise<Shown> {
  const limit = part.type === "image" ? media?.maxImageBytes : media?.maxDocumentBytes;
  const maxBytes = limit ?? defaultMaxBytes;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const fetching = fetchMedia(part.url, { signal: inTime, maxBytes });
    const { data, mediaType = part.mediaType } = await Promise.race([fetching, ending(inTime)]);
    const isUsable = data.byteLength > 0 && data.byteLength <= maxBytes && isConcrete(mediaType);
    if (!isUsable) return told(part);
    const { url: _, ...rest } = part;
    return { ...rest, mediaType, data: toBase64(data) };
  } catch {
    // The model gets a note about what is missing, and the conversation continues.
    return told(part);
  }
}

/** Rejects when the signal fires, because a fetcher may ignore it. */
function ending(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}

function told(part: Linked<ImagePart | DocumentPart>): TextPart {
  return { type: "text", text: leftOut(part) };
}

function isLinked(part: UserPart): part is Linked<ImagePart | DocumentPart> {
  return part.type !== "text" && "url" in part;
}

function isConcrete(mediaType: string): boolean {
  return /^[^/*]+\/[^/*]+$/.test(mediaType);
}

function keyOf({ type, mediaType, url }: Linked<ImagePart | DocumentPart>): string {
  return `${type} ${mediaType} ${url}`;
}

function partsOf(message: ChatMessage): readonly UserPart[] {
  const hasParts = message.role === "user" || message.role === "tool";
  return hasParts && typeof message.content !== "string" ? message.content : [];
}

function withParts(message: ChatMessage, show: (part: UserPart) => UserPart): ChatMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  return typeof message.content === "string"
    ? message
    : { ...message, content: message.content.map(show) };
}
