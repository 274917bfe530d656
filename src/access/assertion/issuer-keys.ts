import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import type { KeySource, PublicKey } from '../../domain/trust.ts';
import type { DocumentReader } from '../../outbound/read-document.ts';
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
interface HeldKeys {
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

/** Dependencies of `createIssuerKeys`. */
export interface IssuerKeysDeps {
  readonly reader: DocumentReader;
  readonly clock: Clock;
  /** Called with each failed reading. */
  readonly failed: (fields: { host: string; error: string }) => void;
}

/** Creates the memory of the issuers' keys of one process. */
export function createIssuerKeys(deps: IssuerKeysDeps) {
  const sources = new BoundedMap<string, Source>(SOURCES_MAX);
  const stopping = new AbortController();
  return {
    /** Does something with the keys of an issuer, and once more with newer ones if these may be too old. @throws IssuerUnreadable */
    async withKeys<Result>(
      place: KeyPlace,
      use: (keys: readonly PublicKey[]) => Promise<Result>,
      mayBeNewer: (error: unknown) => boolean,
    ): Promise<Result> {
      const key = `${place.source.kind} ${toAddress(place)}`;
      const source = sources.get(key) ?? new Source(deps, place, stopping.signal);
      if (!sources.has(key)) sources.set(key, source);
      const held = await source.get();
      return use(held.keys).catch(async (error: unknown) => {
        if (!mayBeNewer(error)) throw error;
        return use((await source.renew(held)).keys);
      });
    },
    stop: () => stopping.abort(),
  };
}

/** The keys of one place. */
class Source {
  readonly #deps: IssuerKeysDeps;
  readonly #place: KeyPlace;
  readonly #stopping: AbortSignal;
  #held: HeldKeys | undefined;
  #reading: Promise<HeldKeys> | undefined;
  #renewing: Promise<HeldKeys> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Requests that wait for `#renewing`. */
  #waiting = 0;

  constructor(deps: IssuerKeysDeps, place: KeyPlace, stopping: AbortSignal) {
    this.#deps = deps;
    this.#place = place;
    this.#stopping = stopping;
  }

  async get(): Promise<HeldKeys> {
    const held = this.#held;
    if (held !== undefined && this.#isWithin(held.readAt, FRESH_MS)) return held;
    try {
      if (this.#isWithin(this.#failedAt, PAUSE_MS)) throw new IssuerUnreadable('read a moment ago');
      return await this.#readOnce();
    } catch (error) {
      // The host is down: what it said within a day goes on being right.
      if (held !== undefined && this.#isWithin(held.readAt, KEPT_MS)) return held;
      throw error;
    }
  }

  /**
   * All who ask share one reading, and wait for it if the last one was a moment ago: so no change of keys refuses anybody,
   * and no stranger has the host asked more often than every few seconds. If very many wait, further ones do not.
   */
  async renew(seen: HeldKeys): Promise<HeldKeys> {
    if (this.#held !== undefined && this.#held !== seen) return this.#held;
    if (this.#waiting >= WAITING_MAX) throw new IssuerUnreadable('too many wait');
    this.#renewing ??= this.#readAfterPause().finally(() => {
      this.#renewing = undefined;
      this.#waiting = 0;
    });
    this.#waiting += 1;
    return this.#renewing;
  }

  /** A clock that was set back makes nothing younger. */
  #isWithin(at: number, ms: number): boolean {
    const ageMs = this.#deps.clock.now() - at;
    return ageMs >= 0 && ageMs < ms;
  }

  async #readAfterPause(): Promise<HeldKeys> {
    const { clock } = this.#deps;
    const waitMs = Math.min(this.#renewedAt + PAUSE_MS - clock.now(), PAUSE_MS);
    if (waitMs > 0) await clock.sleep(waitMs, this.#stopping);
    this.#renewedAt = clock.now();
    return this.#readOnce();
  }

  #readOnce(): Promise<HeldKeys> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<HeldKeys> {
    const { reader, clock, failed } = this.#deps;
    const readAt = clock.now();
    try {
      const keys = parseKeys(await reader.read(await findAddress(reader, this.#place)));
      this.#held = { keys, readAt };
      return this.#held;
    } catch (cause) {
      this.#failedAt = clock.now();
      const error = cause instanceof Error ? cause.message : 'unknown';
      failed({ host: new URL(toAddress(this.#place)).host, error });
      throw new IssuerUnreadable(cause);
    }
  }
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

/**
 * Reads a set of keys. Those of kinds that are not known, and shared ones, are left out (RFC 7517 §5).
 * @throws Error if it is no set, or none of its keys can be used
 */
export function parseKeys(document: unknown): PublicKey[] {
  const set = keySet.safeParse(document);
  if (!set.success) throw new Error(`no set of at most ${KEYS_MAX} keys`);
  const keys = set.data.keys.flatMap((one) => publicKey.safeParse(one).data ?? []);
  if (keys.length === 0) throw new Error('a set without a public key');
  return keys;
}
