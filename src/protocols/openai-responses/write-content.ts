import type {
  ResponseInputContent,
  ResponseInputFile,
  ResponseInputImage,
} from "openai/resources/responses/responses";
import type { DocumentPart, ImagePart } from "../../domain/chat.ts";
import { dataUrl, fileName, titledText } from "../media-source.ts";

/** What it cannot say is a clause: “input[2]” has a file … */
export type Written = { content: ResponseInputContent } | { clause: string };

const KEPT_ELSEWHERE =
  "refers to a file by its id, which the upstream of this model does not have; send the file itself instead";
const DETAILS = ["low", "high", "auto", "original"] as const;

export function writeImage({ source, detail }: ImagePart): Written {
  if (source.kind === "file") return { clause: KEPT_ELSEWHERE };
  const content: ResponseInputImage = {
    type: "input_image",
    image_url: source.kind === "url" ? source.url : dataUrl(source),
    detail: DETAILS.find(known => known === detail) ?? "auto",
  };
  return { content };
}

export function writeDocument({ source, name }: DocumentPart): Written {
  switch (source.kind) {
    case "file":
      return { clause: KEPT_ELSEWHERE };
    case "text":
      return {
        content: { type: "input_text", text: titledText({ text: source.text, name }) },
      };
    case "url":
      return { content: { type: "input_file", file_url: source.url } };
    case "data": {
      const content: ResponseInputFile = {
        type: "input_file",
        filename: fileName({ name, mediaType: source.mediaType }),
        file_data: dataUrl(source),
      };
      return { content };
    }
    default:
      return source satisfies never;
  }
}
