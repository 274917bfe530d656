import type { Credential } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { noteUse } from '../store/credentials/credentials.ts';
import type { Store } from '../store/store.ts';
import { BoundedMap } from './bounded-map.ts';
import { findPresented, isSame, toDigest } from './secret-text.ts';

/**
 * Age up to which an answer of the store is used, in milliseconds: a revocation by another process takes effect here
 * within it.
 */
const BELIEVED_MS = 5_000;
/** Credentials that are remembered. */
const KNOWN_MAX = 1_000;

/** A credential of the store whose secret was presented correctly. */
export interface Kept {
  readonly credential: Credential;
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
}

/** Dependencies of `createLookup`. */
interface LookupDeps {
  /** Finds the tokens that need no store. */
  readonly findGiven: (presented: string) => Credential | undefined;
  /** undefined: there is none, the secret is another one, or it was revoked. @throws StoreError */
  readonly load: (text: string) => Promise<Kept | undefined>;
  readonly clock: { now(): number };
  /** Called at each use of a credential that the store keeps. */
  readonly used: (credential: Credential) => void;
}

/**
 * Finds the credential that a presented token belongs to; undefined when it is unknown or not valid any more.
 * @throws StoreError when the look-up failed, which is no "undefined"
 */
export type FindCredential = (presented: string) => Promise<Credential | undefined>;

interface Asked {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly answer: Promise<Kept | undefined>;
}

/**
 * Creates the look-ups of one process, which ask the store at most every few seconds for each credential. Only valid ones
 * are remembered, so that a stranger cannot fill the memory.
 */
export function createLookup({ findGiven, load, clock, used }: LookupDeps) {
  const known = new BoundedMap<string, Asked>(KNOWN_MAX);

  function ask(key: string, text: string): Asked {
    const asked = { at: clock.now(), answer: load(text) };
    known.set(key, asked);
    const forget = () => known.get(key) === asked && known.delete(key);
    // Only what is valid is remembered.
    asked.answer.then((kept) => kept ?? forget(), forget);
    return asked;
  }

  return {
    async find(text: string): Promise<Credential | undefined> {
      const given = findGiven(text);
      if (given !== undefined) return given;
      const presented = findPresented(text);
      if (presented === undefined) return undefined;
      const key = `${presented.kind} ${presented.id} ${presented.digest}`;
      const before = known.get(key);
      // A clock that was set back makes no answer younger.
      const ageMs = before === undefined ? BELIEVED_MS : clock.now() - before.at;
      const { answer } = before && ageMs >= 0 && ageMs < BELIEVED_MS ? before : ask(key, text);
      const kept = await answer;
      const endsAt = kept?.expiresAt ?? Number.POSITIVE_INFINITY;
      if (kept === undefined || endsAt <= clock.now()) return undefined;
      used(kept.credential);
      return kept.credential;
    },
    /** Makes the next look-up ask the store, because something was revoked. */
    forget(): void {
      known.clear();
    },
  };
}

/** Precision of "last used", in milliseconds. */
export const EXACT_MS = 60_000;

/**
 * Records when credentials were last used, at most once a minute for each; no request waits for it.
 * @param onFailure receives the error when the store fails; a use a minute later is tried again
 */
export function createUsage(
  store: Pick<Store, 'write'>,
  clock: { now(): number },
  onFailure: (error: unknown) => void,
) {
  const usedAt = new Map<string, number>();
  const storing = new Set<Promise<void>>();
  return {
    /** @param id of a credential that the store keeps: `token-…`, `client-…` */
    used(id: string): void {
      const now = clock.now();
      if (Math.abs(now - (usedAt.get(id) ?? 0)) < EXACT_MS) return;
      usedAt.set(id, now);
      const stored = store.write((tx) => noteUse(tx, id, now)).catch(onFailure);
      storing.add(stored);
      void stored.then(() => storing.delete(stored));
    },
    /** Waits until every use is stored. */
    stop: () => Promise.all(storing),
  };
}

/** The tokens of the settings, which need no store. */
export interface GivenTokens {
  /** Tokens of identity providers: those of `scim.tokens`, or the one of the first run. */
  readonly scim: readonly string[];
  /** setting: ops.token */
  readonly operator: string | undefined;
  /** setting: ops.readerToken */
  readonly reader: string | undefined;
}

/** Creates a finder of the settings' tokens: `settings-1` is the first of `scim.tokens`. */
export function createGivenTokenFinder({ scim, operator, reader }: GivenTokens) {
  const named = [
    ...scim.map((token, index) => ({ token, purpose: 'scim', place: `${index + 1}` }) as const),
    { token: operator, purpose: 'operator', place: 'operator' } as const,
    { token: reader, purpose: 'reader', place: 'reader' } as const,
  ];
  const all = named.flatMap(({ token, purpose, place }) => {
    if (token === undefined) return [];
    const id = `settings-${place}`;
    const name = purpose === 'scim' ? `${GIVEN_NAMES.scim} ${place}` : GIVEN_NAMES[purpose];
    const credential = {
      id,
      name,
      purpose,
      profile: 'lenient',
      provider: DEFAULT_PROVIDER,
    } as const;
    return [{ digest: toDigest(token), credential }];
  });
  return (presented: string): Credential | undefined => {
    const candidate = toDigest(presented);
    // All of them are compared, so that the time taken says nothing of the tokens.
    return all.filter(({ digest }) => isSame(candidate, digest)).at(-1)?.credential;
  };
}

const GIVEN_NAMES = { scim: 'scim.tokens', operator: 'ops.token', reader: 'ops.readerToken' };
