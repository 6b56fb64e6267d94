import type { Dialect } from "../domain/usage.ts";
import { readMessagesPrompt } from "./anthropic-messages/read-prompt.ts";
import { readMessagesReply } from "./anthropic-messages/read-reply.ts";
import { readMessagesRequest, writeMessagesRequest } from "./anthropic-messages/read-request.ts";
import { messagesStreamReader } from "./anthropic-messages/read-stream.ts";
import { readMessagesWhole } from "./anthropic-messages/read-whole.ts";
import { messagesTap } from "./anthropic-messages/tap.ts";
import { writeMessagesPrompt } from "./anthropic-messages/write-prompt.ts";
import { writeMessagesReply } from "./anthropic-messages/write-reply.ts";
import { messagesStreamWriter } from "./anthropic-messages/write-stream.ts";
import { readChatPrompt } from "./openai-chat/read-prompt.ts";
import { readChatReply } from "./openai-chat/read-reply.ts";
import { readChatRequest, writeChatRequest } from "./openai-chat/read-request.ts";
import { chatStreamReader } from "./openai-chat/read-stream.ts";
import { readChatWhole } from "./openai-chat/read-whole.ts";
import { chatTap } from "./openai-chat/tap.ts";
import { writeChatPrompt } from "./openai-chat/write-prompt.ts";
import { writeChatReply } from "./openai-chat/write-reply.ts";
import { chatStreamWriter } from "./openai-chat/write-stream.ts";
import { readResponsesPrompt } from "./openai-responses/read-prompt.ts";
import { readResponsesReply } from "./openai-responses/read-reply.ts";
import { readResponsesRequest, writeResponsesRequest } from "./openai-responses/read-request.ts";
import { responsesStreamReader } from "./openai-responses/read-stream.ts";
import { readResponsesWhole } from "./openai-responses/read-whole.ts";
import { responsesTap } from "./openai-responses/tap.ts";
import { writeResponsesPrompt } from "./openai-responses/write-prompt.ts";
import { writeResponsesReply } from "./openai-responses/write-reply.ts";
import { responsesStreamWriter } from "./openai-responses/write-stream.ts";
import type { Protocol } from "./protocol.ts";

/** The dialects that are spoken here, each way. */
export const PROTOCOLS: Record<Dialect, Protocol> = {
  chat: {
    dialect: "chat",
    readRequest: readChatRequest,
    writeRequest: writeChatRequest,
    tap: chatTap,
    readWhole: readChatWhole,
    readPrompt: readChatPrompt,
    writePrompt: writeChatPrompt,
    readReply: readChatReply,
    writeReply: writeChatReply,
    streamReader: chatStreamReader,
    streamWriter: chatStreamWriter,
  },
  messages: {
    dialect: "messages",
    readRequest: readMessagesRequest,
    writeRequest: writeMessagesRequest,
    tap: messagesTap,
    readWhole: readMessagesWhole,
    readPrompt: readMessagesPrompt,
    writePrompt: writeMessagesPrompt,
    readReply: readMessagesReply,
    writeReply: writeMessagesReply,
    streamReader: messagesStreamReader,
    streamWriter: messagesStreamWriter,
  },
  responses: {
    dialect: "responses",
    readRequest: readResponsesRequest,
    writeRequest: writeResponsesRequest,
    tap: responsesTap,
    readWhole: readResponsesWhole,
    readPrompt: readResponsesPrompt,
    writePrompt: writeResponsesPrompt,
    readReply: readResponsesReply,
    writeReply: writeResponsesReply,
    streamReader: responsesStreamReader,
    streamWriter: responsesStreamWriter,
  },
};
