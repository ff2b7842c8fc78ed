/** Our request is one of the vendor's own: what the vendor takes away is an error here. */
import type {
  EasyInputMessage,
  ResponseCreateParams,
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { expectTypeOf, test } from "vitest";
import type {
  CallOutputItem,
  CustomCallItem,
  FunctionCallItem,
  PlainReplyItem,
  RefusalContent,
  ReasoningItem,
  ReplyItem,
  ResponsesRequest,
  SystemItem,
  UserItem,
} from "../../src/protocols/openai-responses/request.ts";
import type { Writable } from "../writable.ts";

test("every item that we write is one that the vendor takes", () => {
  expectTypeOf<Writable<UserItem>>().toExtend<EasyInputMessage>();
  expectTypeOf<Writable<SystemItem>>().toExtend<EasyInputMessage>();
  // The vendor takes refusals here that its types have only in messages with an id.
  expectTypeOf<Writable<PlainReplyItem> & { content: string }>().toExtend<EasyInputMessage>();
  expectTypeOf<Writable<RefusalContent>>().toExtend<ResponseOutputRefusal>();
  expectTypeOf<Writable<FunctionCallItem>>().toExtend<ResponseFunctionToolCall>();
  expectTypeOf<Writable<CustomCallItem>>().toExtend<ResponseCustomToolCall>();
  expectTypeOf<
    Writable<CallOutputItem> & { type: "function_call_output" }
  >().toExtend<ResponseInputItem.FunctionCallOutput>();
});

test("what goes back as it came has the vendor's fields around it", () => {
  type Reasoning = Omit<ReasoningItem, "summary" | "content">;

  expectTypeOf<Writable<Omit<ReplyItem, "content">>>().toExtend<
    Omit<ResponseOutputMessage, "content">
  >();
  expectTypeOf<Writable<Reasoning>>().toExtend<
    Omit<ResponseReasoningItem, "summary" | "content">
  >();
});

test("every field of a request is one of the vendor's, with values that it takes", () => {
  expectTypeOf<Writable<Omit<ResponsesRequest, "input">>>().toExtend<
    Omit<ResponseCreateParams, "input">
  >();
  expectTypeOf<keyof ResponsesRequest>().toExtend<keyof ResponseCreateParams>();
});
