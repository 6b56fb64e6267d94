import { describe, expect, test } from "bun:test";
import { FormScanner } from "./multipart.ts";

const BOUNDARY = "b0undary";
const WANTED = ["model", "stream"];

const part = (head: string, value: string) => `--${BOUNDARY}\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const END = `--${BOUNDARY}--\r\n`;
const FILE = part(
  'content-disposition: form-data; name="file"; filename="x; name=model"\r\ncontent-type: audio/wav',
  `\r\n--${BOUNDARY.slice(0, -1)}\r\n\r\n--\r\n`,
);

function scanned(text: string, size = text.length): FormScanner {
  const scanner = new FormScanner(BOUNDARY, WANTED);
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) scanner.feed(bytes.subarray(from, from + size));
  return scanner;
}

describe("a form", () => {
  const text = `${FILE}${field("language", "én")}${field("model", "whisper")}${field("stream", "true")}${END}epilogue`;

  test("is understood wherever it is split", () => {
    for (let size = 1; size < 60; size++) {
      const scanner = scanned(text, size);
      expect([scanner.problem, scanner.isWhole, scanner.hasFile]).toEqual([null, true, true]);
      const model = scanner.texts.get("model");
      expect(model?.value).toBe("whisper");
      expect(Buffer.from(text).toString("utf8", model?.start, model?.end)).toBe("whisper");
      expect(scanner.texts.get("stream")?.value).toBe("true");
    }
  });

  test("may have a preamble, white space behind a boundary, and a name without quotes", () => {
    const loose = `preamble\r\n--${BOUNDARY} \t\r\ncontent-disposition:form-data;name=model\r\n\r\nm\r\n${END}`;
    const scanner = scanned(loose, 7);
    expect([scanner.problem, scanner.texts.get("model")?.value]).toEqual([null, "m"]);
  });

  test("that has not ended is not whole", () => {
    expect(scanned(`${field("model", "m")}--${BOUNDARY}`).isWhole).toBe(false);
  });
});

/** Each could be read as another model by somebody upstream, or as one that we did not see. */
const ODD: Record<string, string> = {
  "two models": field("model", "cheap") + field("model", "dear"),
  "a model as a file": part('content-disposition: form-data; name="model"; filename="x"', "m"),
  "an encoded model": part(
    'content-disposition: form-data; name="model"\r\ncontent-transfer-encoding: base64',
    "bQ==",
  ),
  "a name in another charset": part("content-disposition: form-data; name*=utf-8''model", "m"),
  "two names": part('content-disposition: form-data; name="x"; name="model"', "m"),
  "two dispositions": part(
    'content-disposition: form-data; name="x"\r\ncontent-disposition: form-data; name="model"',
    "m",
  ),
  "a folded head": part('content-disposition: form-data;\r\n name="model"', "m"),
  "a bare line feed in a head": part('content-disposition: form-data; name="x"\ncontent-disposition: y', "m"),
  "a part without a name": part("content-type: text/plain", "m"),
  "a part without a head": `--${BOUNDARY}\r\n\r\nm\r\n`,
  "a boundary with more behind it": `--${BOUNDARY}x\r\n`,
  "a head without an end": `--${BOUNDARY}\r\n${"a".repeat(20_000)}`,
  "a model of many letters": field("model", "m".repeat(2_000)),
};

describe("a form is refused that has", () => {
  for (const [what, text] of Object.entries(ODD)) {
    test(what, () => {
      for (const size of [1, 13, text.length]) expect(scanned(text + END, size).problem).not.toBeNull();
    });
  }
});

test("an escaped quote in a name ends nothing", () => {
  const scanner = scanned(part('content-disposition: form-data; name="a\\"; name=\\"model"', "m") + END);
  expect([scanner.problem, scanner.texts.size]).toEqual([null, 0]);
});
