import { sql } from 'kysely';
import type { Store } from '../../src/store/store.ts';
import type { LoadCompany } from './draws.ts';

/**
 * Makes everybody and every group that a first read stored managed, with an externalId, with who is there as who is
 * wanted: what adoptions through SCIM leave behind, in seconds instead of minutes. No other process may have the store.
 */
export async function adoptCompany(store: Store): Promise<LoadCompany> {
  await store.write(async (tx) => {
    for (const table of ['users', 'groups'] as const) {
      // Documents are JSON text on both engines, and never empty.
      await sql`update ${sql.table(table)} set origin = 'adopted', external_id = 'external-' || id,
        attributes = '{"externalId":"external-' || id || '",' || substr(attributes, 2)
        where origin is null`.execute(tx);
    }
    await tx
      .updateTable('memberships')
      .set(({ ref }) => ({ desired: ref('observed') }))
      .where('desired', 'is', null)
      .execute();
  });
  const people = await store.read
    .selectFrom('users')
    .select(['id', 'user_name as userName', 'external_id as externalId'])
    .where('owner', '=', 0)
    .orderBy('seq')
    .execute();
  const groups = await store.read
    .selectFrom('groups')
    .select(['id', 'display_name as displayName'])
    .orderBy('seq')
    .execute();
  return { people: people.map((one) => ({ ...one, externalId: one.externalId ?? '' })), groups };
}
