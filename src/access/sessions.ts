import { createHmac } from 'node:crypto';
import type { Response } from 'express';
import type { Credential } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import type { CredentialRow } from '../store/credentials.ts';
import { findCredential, noteUse } from '../store/credentials.ts';
import type { Db, Store } from '../store/store.ts';
import type { NewestPart } from '../store/tables.ts';
import { createShared, deleteWhere, insertOne, listNewest } from '../store/tables.ts';
import type { Presented } from './networks.ts';
import { comesFromOwn } from './networks.ts';
import {
  findPresented,
  findPresentedRow,
  isSame,
  newCredential,
  newSecret,
} from './secret-text.ts';
import { findSessionText, toSessionUse } from './session-cookie.ts';

/** True for the credential of a person whom an identity provider has named. */
export const isOfPerson = (credentialId: string) => credentialId.startsWith('oidc-');

/** The name of a credential; no line of the log names a person: who it was stands in the store. */
export function toLoggedName(act: { readonly credential: string; readonly operator: string }) {
  return isOfPerson(act.credential) ? undefined : act.operator;
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

/** Precision of "last used", in milliseconds. */
export const EXACT_MS = 60_000;
/** Time without a request of a person after which a session ends; a page that refreshes itself does not count. */
const IDLE_MS = 30 * 60_000;
/** Time after which a session ends in any case. */
const SESSION_MS = 12 * 60 * 60_000;

/** A session that was found: who is signed in, and until when at the latest. */
export interface Session {
  readonly id: string;
  readonly credential: Credential;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Keeps the sessions of a store: operators who are signed in to the console. @param findGiven tokens of the settings: a session ends when its own has changed */
export function createSessions({
  store,
  clock,
  findGiven,
}: {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly findGiven: () => GivenTokens;
}) {
  async function insert(tx: Db, { id: owner, name, purpose, profile }: Credential, presented = '') {
    const now = clock.now();
    const { row, text } = newCredential('session', {
      owner,
      name,
      purpose: purpose === 'operator' ? 'operator' : 'reader',
      profile,
      last_used_at: now,
      now,
      by: owner,
      validForMs: SESSION_MS,
    });
    const proof = owner.startsWith('settings-') ? toProof(text, presented) : null;
    return { text, session: toSession(await insertOne(tx, 'credentials', { ...row, proof })) };
  }

  return {
    /** Opens a session; its `text` is in this answer alone. @param presented undefined: an identity provider named the person */
    open: (credential: Credential, presented?: string) =>
      store.write((tx) => insert(tx, credential, presented)),
    /** Opens a session for the secret of the first start's link; undefined: it was used, or is another. */
    openByLink: (secret: string) =>
      store.write(async (tx) => {
        if (await takeLink(tx, secret, clock.now())) return insert(tx, LINK_CREDENTIAL);
        return undefined;
      }),
    /** The session that a request presents; undefined: none, over, or its credential is not valid any more. @throws StoreError */
    async find(res: Response, use = toSessionUse(res.req)): Promise<Session | undefined> {
      const now = clock.now();
      const text = findSessionText(res.req);
      if (text === undefined) return undefined;
      const row = await findPresentedRow(store.read, text, { kinds: ['session'], now });
      const idleMs = now - Number(row?.last_used_at);
      if (row === undefined || idleMs >= IDLE_MS) return undefined;
      const given = findGiven();
      if (!(await isOwnerValid(store.read, row, { text, given, now, res }))) return undefined;
      if (use === 'person' && idleMs >= EXACT_MS)
        await store.write((tx) => noteUse(tx, `session-${row.id}`, now));
      return toSession(row);
    },
    /** Lists the sessions that are open, the newest first. */
    list(part: NewestPart) {
      const now = clock.now();
      const times = { expires_at: { '>': now }, last_used_at: { '>': now - IDLE_MS } };
      return listNewest(store.read, 'credentials', { kind: 'session', ...times }, part);
    },
    /** Ends a session by its id; returns it, if there was one. */
    end: (id: string) =>
      store.write((tx) => deleteWhere(tx, 'credentials', { kind: 'session', id })),
  };
}

/** A session never outlives the credential that opened it, and is bound to its networks. */
async function isOwnerValid(
  db: Db,
  row: CredentialRow,
  { text, given, now, res }: { text: string; given: GivenTokens; now: number; res: Presented },
): Promise<boolean> {
  const owner = row.owner ?? '';
  if (owner.startsWith('token-')) {
    const token = await findCredential(db, 'token', owner.slice('token-'.length));
    if (token === undefined || token.revoked_at !== null) return false;
    return (token.expires_at === null || token.expires_at > now) && comesFromOwn(token, owner, res);
  }
  // What the provider said, or the link, holds until the session ends.
  if (isOfPerson(owner) || owner === LINK_CREDENTIAL.id) return true;
  const token = row.purpose === 'operator' ? given.operator : given.reader;
  return token !== undefined && isSame(toProof(text, token), row.proof ?? undefined);
}

/** Keyed by the secret of the session, which the store does not have: a weak token cannot be guessed from it. */
function toProof(sessionText: string, token: string): string {
  return createHmac('sha256', sessionText).update(token).digest('hex');
}

function toSession(row: CredentialRow): Session {
  const { id, owner, name, purpose, profile, expires_at: expiresAt } = row;
  const credential = { id: owner ?? '', name, purpose, profile, provider: DEFAULT_PROVIDER };
  return { id, expiresAt: Number(expiresAt), credential };
}

/** The digest of the link's secret; null: it was used, and there is never another one. */
const LINK = createShared<{ readonly digest: string | null }>('sign-in-link');

/** The operator who signs in by the link of the first start. */
export const LINK_CREDENTIAL: Credential = {
  id: 'sign-in-link',
  name: 'sign-in link',
  purpose: 'operator',
  profile: 'lenient',
  provider: DEFAULT_PROVIDER,
};

/** Makes the secret of the link, in place of the one before; undefined: that one was used. */
export async function makeLink(
  store: Pick<Store, 'write'>,
  now: number,
): Promise<string | undefined> {
  const { text, digest } = newSecret('session');
  return store.write(async (tx) => {
    if ((await LINK.find(tx))?.digest === null) return undefined;
    await LINK.save(tx, { digest }, now);
    return text;
  });
}

/** Uses the link up; false when it was used before, or is another one. */
async function takeLink(tx: Db, text: string, now: number): Promise<boolean> {
  const kept = await LINK.find(tx, true);
  const presented = findPresented(text);
  if (presented === undefined || !isSame(presented.digest, kept?.digest ?? undefined)) return false;
  await LINK.save(tx, { digest: null }, now);
  return true;
}
