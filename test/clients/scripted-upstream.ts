import type { Heard, Move, Voice } from "./voice.ts";
import { chatVoice } from "./voice-chat.ts";
import { messagesVoice } from "./voice-messages.ts";
import { responsesVoice } from "./voice-responses.ts";
import { type Fields, fields } from "./wire.ts";

/**
 * An upstream on loopback that plays scenes. The prompt names the scene, and how many tool results the request holds
 * says which move of it comes next; so clients may share it, ask twice, and ask for titles in between.
 */

/** A scene's moves are made when the tools that the client offers are known. */
export type Step = (heard: Heard) => Move;

export type Scene = {
  name: string;
  /** To stand in the prompt. */
  mark: string;
  /** What was heard at each step, the latest where a step was asked for twice. */
  heard: Heard[];
  /** How many requests named it. */
  requests: number;
  /** What a real upstream would have refused, and what the scene does not know. */
  problems: string[];
};

export type ScriptedUpstream = {
  /** Without the version, as messages clients want it. */
  url: string;
  scene: (name: string, steps: readonly Step[]) => Scene;
  close: () => Promise<void>;
};

const VOICES: readonly Voice[] = [chatVoice, messagesVoice, responsesVoice];
const TITLE: Move = { reasoning: null, text: "A title", calls: [] };
const SECONDS_MAX = 30;

/** Nothing of the client's own headers may come with it. */
export const CREDENTIAL = "upstream-credential-9f8e7d6c5b4a";

type Played = {
  steps: readonly Step[];
  /** Which step comes after so many results. */
  stepAfter: Map<number, number>;
  scene: Scene;
};

export function scriptedUpstream(): ScriptedUpstream {
  const played = new Map<string, Played>();
  let count = 0;

  const answer = async (request: Request): Promise<Response> => {
    const voice = VOICES.find(({ path }) => path === new URL(request.url).pathname);
    const body = await request.text();
    const one = played.get(/\bscene-(\w+)\b/.exec(body)?.[1] ?? "");
    if (voice === undefined || one === undefined) return new Response("no such scene", { status: 404 });
    const { scene } = one;
    scene.requests += 1;
    count += 1;
    try {
      expectCredential(request.headers);
      const heard = voice.hear(fields(JSON.parse(body)));
      return said({ voice, heard, move: play(one, heard), id: `up${count}` });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      scene.problems.push(message);
      return Response.json({ error: { message } }, { status: 400 });
    }
  };

  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: SECONDS_MAX, fetch: answer });
  return {
    url: `http://127.0.0.1:${server.port}`,
    scene: (name, steps) => {
      const scene: Scene = { name, mark: `scene-${name}`, heard: [], requests: 0, problems: [] };
      played.set(name, { steps, stepAfter: new Map([[0, 0]]), scene });
      return scene;
    },
    close: () => server.stop(true),
  };
}

/** Requests without tools are for titles. */
function play({ steps, stepAfter, scene }: Played, heard: Heard): Move {
  if (heard.tools.length === 0) return TITLE;
  const results = heard.results.length;
  const at = stepAfter.get(results) ?? steps.length;
  const step = steps[at];
  if (step === undefined) throw new Error(`scene ${scene.name} has no move after ${results} results`);
  scene.heard[at] = heard;
  const move = step(heard);
  stepAfter.set(results + move.calls.length, at + 1);
  return move;
}

function expectCredential(headers: Headers): void {
  const sent = [headers.get("authorization")?.replace(/^Bearer /, ""), headers.get("x-api-key")];
  const found = sent.filter(value => typeof value === "string");
  if (found.length === 0 || found.some(value => value !== CREDENTIAL))
    throw new Error("the request carries another credential than the operator's");
}

function said(about: { voice: Voice; heard: Heard; move: Move; id: string }): Response {
  const { voice, heard, move, id } = about;
  const utterance = { id, model: heard.model };
  if (!heard.stream) return Response.json(voice.write(move, utterance) as Fields);
  return new Response(voice.speak(move, utterance), { headers: { "content-type": "text/event-stream" } });
}
