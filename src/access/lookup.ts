import type { Credential, Purpose } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { BoundedMap } from './bounded-map.ts';
import { findPresented, isSame, type PresentedSecret, toDigest } from './secret-text.ts';

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
  readonly load: (presented: PresentedSecret) => Promise<Kept | undefined>;
  readonly clock: { now(): number };
  /** Called at each use of a credential that the store keeps. */
  readonly used: (credential: Credential) => void;
}

/**
 * Finds the credential that a presented token belongs to; undefined when it is unknown or not valid any more.
 * @throws StoreError when the look-up failed, which is no "undefined"
 */
export type FindCredential = (presented: string) => Promise<Credential | undefined>;

/** Finds the credential of a token; the store is asked at most every few seconds for each. */
interface Lookup {
  readonly find: FindCredential;
  /** Finds the tokens that need no store in this way from now on. */
  renew(findGiven: LookupDeps['findGiven']): void;
  /** Makes the next look-up ask the store, because something was revoked. */
  forget(): void;
}

/**
 * Creates the look-ups of one process. Only valid credentials are remembered, so that a stranger cannot fill the
 * memory.
 */
export function createLookup({ load, clock, used, ...deps }: LookupDeps): Lookup {
  let { findGiven } = deps;
  const known = new BoundedMap<string, Kept & { readonly askedAt: number }>(KNOWN_MAX);
  const asking = new Map<string, Promise<Kept | undefined>>();

  function findKnown(key: string): Kept | undefined {
    const kept = known.get(key);
    if (kept === undefined) return undefined;
    // A clock that was set back makes no answer younger.
    const ageMs = clock.now() - kept.askedAt;
    return ageMs >= 0 && ageMs < BELIEVED_MS ? kept : undefined;
  }

  async function ask(key: string, presented: PresentedSecret): Promise<Kept | undefined> {
    const askedAt = clock.now();
    const answer = load(presented);
    asking.set(key, answer);
    try {
      const kept = await answer;
      // Otherwise everything was forgotten meanwhile, and this answer may be older than that.
      if (kept !== undefined && asking.get(key) === answer) known.set(key, { ...kept, askedAt });
      return kept;
    } finally {
      if (asking.get(key) === answer) asking.delete(key);
    }
  }

  return {
    async find(text) {
      const given = findGiven(text);
      if (given !== undefined) return given;
      const presented = findPresented(text);
      if (presented === undefined) return undefined;
      const key = `${presented.kind} ${presented.id} ${presented.digest}`;
      const kept = findKnown(key) ?? (await (asking.get(key) ?? ask(key, presented)));
      if (kept === undefined || isOver(kept, clock.now())) return undefined;
      used(kept.credential);
      return kept.credential;
    },
    renew(next) {
      findGiven = next;
    },
    forget() {
      known.clear();
      asking.clear();
    },
  };
}

function isOver({ expiresAt }: Kept, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
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
export function createGivenTokenFinder({
  scim,
  operator,
  reader,
}: GivenTokens): (presented: string) => Credential | undefined {
  const given = [
    ...scim.map((token, index) => ({
      token,
      credential: toCredential('scim', `scim.tokens ${index + 1}`, `${index + 1}`),
    })),
    { token: operator, credential: toCredential('operator', 'ops.token') },
    { token: reader, credential: toCredential('reader', 'ops.readerToken') },
  ];
  const all = given.flatMap(({ token, credential }) =>
    token === undefined ? [] : [{ digest: toDigest(token), credential }],
  );
  return (presented) => {
    const candidate = toDigest(presented);
    // All of them are compared, so that the time taken says nothing of the tokens.
    return all.filter(({ digest }) => isSame(candidate, digest)).at(-1)?.credential;
  };
}

function toCredential(purpose: Purpose, name: string, place: string = purpose): Credential {
  const id = `settings-${place}`;
  return { id, name, purpose, profile: 'lenient', provider: DEFAULT_PROVIDER };
}
