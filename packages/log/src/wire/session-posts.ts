/** Bodies and replies of posts to one session, by the last segment of the path. */
import type {
  AnswersReply,
  CancelReply,
  ClaimReply,
  ForkReply,
  QueueReply,
  RewindReply,
} from "./replies.ts";
import type {
  AnswersRequest,
  CancelRequest,
  ClaimRequest,
  ForkRequest,
  QueueRequest,
  RewindRequest,
} from "./requests.ts";

/** Requests and replies of a session's addresses, by the last part of the address. */
export interface SessionPosts {
  readonly steer: { readonly request: QueueRequest; readonly reply: QueueReply };
  readonly "follow-up": { readonly request: QueueRequest; readonly reply: QueueReply };
  readonly answers: { readonly request: AnswersRequest; readonly reply: AnswersReply };
  readonly claims: { readonly request: ClaimRequest; readonly reply: ClaimReply };
  readonly cancel: { readonly request: CancelRequest; readonly reply: CancelReply };
  readonly fork: { readonly request: ForkRequest; readonly reply: ForkReply };
  readonly rewind: { readonly request: RewindRequest; readonly reply: RewindReply };
}
