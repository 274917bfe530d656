import type { Credential } from '../domain/credential.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { createFact } from '../store/facts.ts';
import type { Db, Store } from '../store/store.ts';
import { findPresented, isSame, newSecret } from './secret-text.ts';

/** The digest of the link's secret; null: it was used, and there is never another one. */
const LINK = createFact<{ readonly digest: string | null }>('sign-in-link');

/** Whoever signs in by the link of the first start. */
export const LINK_CREDENTIAL: Credential = {
  ...{ id: 'sign-in-link', name: 'sign-in link', purpose: 'operator', profile: 'lenient' },
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
export async function takeLink(tx: Db, text: string, now: number): Promise<boolean> {
  const kept = await LINK.lock(tx);
  const presented = findPresented(text);
  if (presented === undefined || !isSame(presented.digest, kept?.digest ?? undefined)) return false;
  await LINK.save(tx, { digest: null }, now);
  return true;
}
