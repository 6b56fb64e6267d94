const ANSWER_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** What a server said, or why nothing was heard from it. */
export type Answer =
  | { heard: true; status: number; location: string | null; body: unknown; text: string }
  | { heard: false; message: string; remedy: string };

/** Redirects are not followed, so that the key goes nowhere but where it was meant to go. */
export async function ask(url: string, key: string | null): Promise<Answer> {
  try {
    const response = await fetch(url, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const text = await readSome(response);
    return {
      heard: true,
      status: response.status,
      location: response.headers.get("location"),
      body: parse(text),
      text,
    };
  } catch (error) {
    return { heard: false, ...explain(error) };
  }
}

async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) break;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function explain(error: unknown): { message: string; remedy: string } {
  const name = error instanceof Error ? error.name : "";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (name === "TimeoutError" || /TIMEDOUT|Timeout/i.test(code)) {
    return {
      message: `Nothing answered within ${ANSWER_MS_MAX / 1000} s.`,
      remedy: "Check the host and port, and whether a firewall stands between.",
    };
  }
  if (/REFUSED|ConnectionRefused/i.test(code)) {
    return {
      message: "The connection is refused: nothing listens at this host and port.",
      remedy: "Start the gateway with wicketgate serve, or correct the host and port.",
    };
  }
  if (/ENOTFOUND|EAI_AGAIN|DNS/i.test(code)) {
    return {
      message: "The host's name is not known.",
      remedy: "Correct the name of the host, or check the DNS.",
    };
  }
  if (/CERT|TLS|SSL|SIGNATURE|UNABLE_TO|EPROTO/i.test(code)) {
    return {
      message: `The secure connection cannot be made (${code}).`,
      remedy: "Check the certificate of the server, or whether it speaks http and not https.",
    };
  }
  return {
    message: `The connection fails${code === "" ? "" : ` (${code})`}.`,
    remedy: "Check the host, the port, whether it is http or https, and the network between.",
  };
}
