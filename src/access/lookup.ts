import type { CredentialRow } from '../store/credentials/credentials.ts';
import { BoundedMap } from './bounded-map.ts';
import { findPresented } from './secret-text.ts';

/**
 * Age up to which an answer of the store is used, in milliseconds: a revocation by another process takes effect here
 * within it.
 */
const BELIEVED_MS = 5_000;
/** Credentials that are remembered. */
const KNOWN_MAX = 1_000;

interface Asked<Row> {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly answer: Promise<Row | undefined>;
}

/**
 * Creates the look-ups of one process, which ask the store at most every few seconds for each credential. Only valid ones
 * are remembered, so that a stranger cannot fill the memory.
 * @param load undefined: there is none, the secret is another one, or it was revoked
 */
export function createLookup<Row extends Pick<CredentialRow, 'expires_at'>>(
  clock: { now(): number },
  load: (text: string) => Promise<Row | undefined>,
) {
  const known = new BoundedMap<string, Asked<Row>>(KNOWN_MAX);

  function ask(key: string, text: string): Asked<Row> {
    const asked = { at: clock.now(), answer: load(text) };
    known.set(key, asked);
    const forget = () => known.get(key) === asked && known.delete(key);
    asked.answer.then((row) => row ?? forget(), forget);
    return asked;
  }

  return {
    /** The row of a presented text, unless it has expired. */
    async find(text: string): Promise<Row | undefined> {
      const presented = findPresented(text);
      if (presented === undefined) return undefined;
      const key = `${presented.kind} ${presented.id} ${presented.digest}`;
      const before = known.get(key);
      // A clock that was set back makes no answer younger.
      const ageMs = before === undefined ? BELIEVED_MS : clock.now() - before.at;
      const { answer } = before && ageMs >= 0 && ageMs < BELIEVED_MS ? before : ask(key, text);
      const row = await answer;
      const endsAt = row?.expires_at ?? Number.POSITIVE_INFINITY;
      return endsAt > clock.now() ? row : undefined;
    },
    /** Makes the next look-up ask the store, because something was revoked. */
    forget(): void {
      known.clear();
    },
  };
}
