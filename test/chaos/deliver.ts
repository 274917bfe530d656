import type { Answer, Client, SentRequest } from './client.ts';
import type { Wish } from './fact.ts';

/** For how long something is tried until it is given up, in milliseconds: a bridge is not gone for so long. */
const PATIENCE_MS = 120_000;

/** The attempts at something, counted from 1, for as long as patience lasts: a fast machine makes more of them. */
export function* attempts(): Generator<number> {
  const until = performance.now() + PATIENCE_MS;
  for (let attempt = 1; performance.now() < until; attempt += 1) yield attempt;
}

/** How something is sent. */
export interface Delivery {
  /** Told when the sender hangs up. */
  readonly wishes: readonly Wish[];
  /** Whether it is sent again when nobody answers. */
  readonly isRepeated: boolean;
  /** The first time. */
  readonly hangsUpAfterMs?: number | undefined;
}

/** What became of it. */
interface Delivered {
  /** Undefined: nobody answered. */
  readonly answer: Answer | undefined;
  /** Whether it was sent once: what was sent more often may have been done before. */
  readonly isFirst: boolean;
}

/** Sends, and again when nobody answers and that is meant. @throws Error when nobody answers for too long */
export async function deliver(
  client: Client,
  sent: SentRequest,
  { wishes, isRepeated, hangsUpAfterMs }: Delivery,
): Promise<Delivered> {
  const first = await client.send({ ...sent, hangsUpAfterMs });
  if (first === undefined && hangsUpAfterMs !== undefined) for (const wish of wishes) wish.hangUp();
  if (first !== undefined || !isRepeated) return { answer: first, isFirst: true };
  for (const _ of attempts()) {
    const answer = await client.send(sent);
    if (answer !== undefined) return { answer, isFirst: false };
  }
  throw new Error(`nobody answers ${sent.method} ${sent.path}`);
}
