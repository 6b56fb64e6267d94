import type { ResponseTextConfig } from "openai/resources/responses/responses";
import type { Format } from "../../domain/chat.ts";
import { objectOf } from "../json-value.ts";

const FORMAT_NAME = "answer";
const VERBOSITIES = ["low", "medium", "high"] as const;

/** How the answer is to look; null where nothing was asked for. */
export function writeText(format: Format | null, verbosity: string | null): ResponseTextConfig | null {
  const known = VERBOSITIES.find(word => word === verbosity);
  if (format === null && known === undefined) return null;
  return {
    ...(format === null ? {} : { format: writeFormat(format) }),
    ...(known === undefined ? {} : { verbosity: known }),
  };
}

function writeFormat(format: Format): NonNullable<ResponseTextConfig["format"]> {
  switch (format.kind) {
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "schema":
      return {
        type: "json_schema",
        name: format.name ?? FORMAT_NAME,
        schema: { ...objectOf(format.schema) },
        ...(format.description === null ? {} : { description: format.description }),
        ...(format.strict === null ? {} : { strict: format.strict }),
      };
    default:
      return format satisfies never;
  }
}
