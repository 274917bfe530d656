import type { Db } from './store.ts';

/** Remembers when a credential (`token-…`, `client-…`) was last used; an earlier moment changes nothing. */
export async function noteUse(tx: Db, credentialId: string, at: number): Promise<void> {
  const [, kind, id] = /^(token|client)-(.+)$/.exec(credentialId) ?? [];
  if (id === undefined) return;
  await tx
    .updateTable(kind === 'token' ? 'tokens' : 'clients')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
    .execute();
}
