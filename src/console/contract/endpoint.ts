import type { z } from "zod";

/**
 * Who may call: `open` anybody, `session` whoever is signed in, `recent` whoever proved it again within a quarter of an
 * hour, `operator` and `operator-recent` the same for operators alone.
 */
export type Access = "open" | "session" | "recent" | "operator" | "operator-recent";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type EndpointName = `${Method} /${string}`;

export type Endpoint = {
  access: Access;
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Of the body, where it may be larger than most. */
  bytesMax?: number;
  /** Null: not JSON, such as a redirect or a file. */
  answer: z.ZodType | null;
};

type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;

type Given<S> = S extends z.ZodType ? z.input<S> : undefined;
type Read<S> = S extends z.ZodType ? z.output<S> : undefined;
type Answered<S> = S extends z.ZodType ? z.output<S> : null;
type Part<E, K extends string> = E extends Record<K, infer S> ? S : undefined;

/** What a caller gives and gets, by the endpoint's name. */
export type Exchange<N, E> = {
  params: N extends string ? Record<PathParams<N>, string> : never;
  query: Given<Part<E, "query">>;
  body: Given<Part<E, "body">>;
  answer: Answered<Part<E, "answer">>;
};

/** What its handler is given once everything is checked, and what it has to give. */
export type Received<N, E> = {
  params: N extends string ? Record<PathParams<N>, string> : never;
  query: Read<Part<E, "query">>;
  body: Read<Part<E, "body">>;
  answer: Answered<Part<E, "answer">>;
};
