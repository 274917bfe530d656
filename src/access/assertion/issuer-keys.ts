import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { shareRunning } from '../../domain/clock.ts';
import type { KeySource, PublicKey } from '../../domain/credential.ts';
import type { DocumentReader } from '../../outbound/outbound.ts';
import type { Events } from '../../telemetry/events.ts';
import { createRarely } from '../attempts.ts';
import { BoundedMap } from '../bounded-map.ts';
import { Refusal } from '../refusal.ts';

/** Age from which on keys are read again, in milliseconds: one that was withdrawn is good as long. */
const FRESH_MS = 10 * 60_000;
/** Age up to which keys are used while their host cannot be read, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;
/** Time between two readings because of a key that is not there, and after a failure, in milliseconds. */
const PAUSE_MS = 5_000;
/** Requests that wait for newer keys of one source; strangers who know an id of a client hold no more. */
const WAITING_MAX = 100;
/** Sources that are remembered. */
const SOURCES_MAX = 1_000;
/** Keys that one issuer may show. */
const KEYS_MAX = 100;

/** The keys of an issuer cannot be read, so nothing can be said of its assertions. */
export class IssuerUnreadable extends Refusal {
  constructor(cause: unknown) {
    const words = 'The keys that prove this assertion cannot be read now.';
    super(503, 'temporarily_unavailable', words, { retryAfterSeconds: PAUSE_MS / 1_000, cause });
  }
}

/** Keys of an issuer as they were read at one moment. */
interface KnownKeys {
  readonly keys: readonly PublicKey[];
  /** Epoch milliseconds. */
  readonly readAt: number;
}

/** Place where an issuer shows its keys. */
export interface KeyPlace {
  readonly issuer: string;
  readonly source: Exclude<KeySource, { readonly kind: 'given' }>;
}

/** Keys of issuers, each read rarely, and kept while its host is down. */
export type IssuerKeys = ReturnType<typeof createIssuerKeys>;

export interface IssuerKeysDeps {
  readonly reader: DocumentReader;
  readonly clock: Clock;
  readonly events: Pick<Events, 'issuerUnreadable'>;
}

/** Creates the memory of the issuers' keys of one process. */
export function createIssuerKeys(deps: IssuerKeysDeps) {
  const sources = new BoundedMap<string, ReturnType<typeof createSource>>(SOURCES_MAX);
  const stopping = new AbortController();
  return {
    /** Does something with the keys of an issuer, and once more with newer ones if these may be too old. @throws IssuerUnreadable */
    async withKeys<Result>(
      place: KeyPlace,
      use: (keys: readonly PublicKey[]) => Promise<Result>,
      mayBeNewer: (error: unknown) => boolean,
    ): Promise<Result> {
      const key = `${place.source.kind} ${toAddress(place)}`;
      const source = sources.get(key) ?? createSource(deps, place, stopping.signal);
      if (!sources.has(key)) sources.set(key, source);
      const known = await source.get();
      return use(known.keys).catch(async (error: unknown) => {
        if (!mayBeNewer(error)) throw error;
        return use((await source.renew(known)).keys);
      });
    },
    stop: () => stopping.abort(),
  };
}

/** Creates the memory of the keys of one place. */
function createSource(
  { reader, clock, events }: IssuerKeysDeps,
  place: KeyPlace,
  stopping: AbortSignal,
) {
  const rarely = createRarely();
  let known: KnownKeys | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let waiting = 0;

  /** A clock that was set back makes nothing younger. */
  function isWithin(at: number, ms: number): boolean {
    const ageMs = clock.now() - at;
    return ageMs >= 0 && ageMs < ms;
  }

  const read = shareRunning(async (): Promise<KnownKeys> => {
    const readAt = clock.now();
    try {
      const keys = parseKeys(await reader.read(await findAddress(reader, place)));
      known = { keys, readAt };
      return known;
    } catch (cause) {
      failedAt = clock.now();
      const { host } = new URL(toAddress(place));
      const reason = cause instanceof Error ? cause.message : 'unknown';
      const attempts = rarely.take(host, failedAt);
      if (attempts > 0) events.issuerUnreadable({ host, reason, attempts });
      throw new IssuerUnreadable(cause);
    }
  });
  const readAfterPause = shareRunning(async () => {
    const waitMs = Math.min(renewedAt + PAUSE_MS - clock.now(), PAUSE_MS);
    if (waitMs > 0) await clock.sleep(waitMs, stopping);
    renewedAt = clock.now();
    return read();
  });

  return {
    async get(): Promise<KnownKeys> {
      const before = known;
      if (before !== undefined && isWithin(before.readAt, FRESH_MS)) return before;
      try {
        if (isWithin(failedAt, PAUSE_MS)) throw new IssuerUnreadable('read a moment ago');
        return await read();
      } catch (error) {
        // The host is down: what it said within a day goes on being right.
        if (before !== undefined && isWithin(before.readAt, KEPT_MS)) return before;
        throw error;
      }
    },
    /** All who ask share one reading, or wait for it: a change of keys refuses nobody, and strangers cause few readings. */
    async renew(seen: KnownKeys): Promise<KnownKeys> {
      if (known !== undefined && known !== seen) return known;
      if (waiting >= WAITING_MAX) throw new IssuerUnreadable('too many wait');
      waiting += 1;
      return readAfterPause().finally(() => {
        waiting -= 1;
      });
    },
  };
}

/** Address that is asked first. @see OpenID Connect Discovery 1.0 §4 */
export function toAddress({ issuer, source }: KeyPlace): string {
  if (source.kind === 'address') return source.url;
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** Finds where the keys are; a description of another issuer is none. @see RFC 8414 §3.3 */
async function findAddress(reader: DocumentReader, place: KeyPlace): Promise<string> {
  if (place.source.kind === 'address') return place.source.url;
  const { issuer, jwks_uri: url } = Object(await reader.read(toAddress(place)));
  if (issuer !== place.issuer) throw new Error('the description is of another issuer');
  if (typeof url !== 'string') throw new Error('the description names no keys');
  return url;
}

const text = z.string().max(2_048).exactOptional();
/** The public parts of a key: nothing of a private one is kept. */
const publicKey: z.ZodType<PublicKey> = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  key_ops: z.array(z.string().max(2_048)).max(10).exactOptional(),
  ...{ kid: text, alg: text, use: text, crv: text, n: text, e: text, x: text, y: text },
});
const keySet = z.object({ keys: z.array(z.unknown()).max(KEYS_MAX) });

/** Reads a set of keys without unknown kinds and shared ones (RFC 7517 §5). @throws Error if none can be used */
export function parseKeys(document: unknown): PublicKey[] {
  const set = keySet.safeParse(document);
  if (!set.success) throw new Error(`no set of at most ${KEYS_MAX} keys`);
  const keys = set.data.keys.flatMap((one) => publicKey.safeParse(one).data ?? []);
  if (keys.length === 0) throw new Error('a set without a public key');
  return keys;
}
