import type { ZodType } from 'zod';
import { z } from 'zod';

/** A refused call, which has changed nothing. The shape decides whether `message` is ever shown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** HTTP status of the answer. */
  readonly status: number;
  constructor(status: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.status = status;
  }
}

/** Parses what a caller sent. @throws Refusal 400 naming what is wrong */
export function parse<T>(schema: ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new Refusal(400, z.prettifyError(error));
}

/** A JSON body; empty is undefined. @throws Refusal 400 when it is not JSON */
export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Refusal(400, 'Body should be JSON', { cause });
  }
}

/** Text of so many characters, not counting white space around it. */
export function text(max = 128, min = 1) {
  return z.string().trim().min(min).max(max);
}
