import { type RawBuilder, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import { readInChunks } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** A user or group, found by one of its ids or names. */
interface Named {
  readonly id: string;
  readonly isManaged: boolean;
  /** Id of the account, of a user who has one. */
  readonly account?: number | null;
  /** Names by which the service may call it. */
  readonly names: readonly string[];
}

interface UserNames {
  readonly id: string;
  readonly origin: string | null;
  readonly upstream_id: number | null;
  readonly observed_user_name_folded: string | null;
  readonly observed_email_folded: string | null;
}

interface GroupNames {
  readonly id: string;
  readonly origin: string | null;
  readonly upstream_scim_id: string | null;
  readonly upstream_rest_id: number | null;
  readonly upstream_uid: string | null;
  readonly display_name_folded: string;
}

/** Users and groups by the texts that name them, as SCIM ids. */
export interface NamedResources {
  readonly user: ReadonlyMap<string, ReadonlySet<string>>;
  readonly group: ReadonlyMap<string, ReadonlySet<string>>;
  /** The SCIM ids of those that are managed. */
  readonly managed: ReadonlySet<string>;
  /** From each text that names users to their accounts. */
  readonly accounts: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * The users and groups, deleted and unmanaged ones too, that the service calls by one of these texts: an id, a
 * uid or a name. A user and a group may have the same number.
 */
export async function findNamed(db: Db, texts: ReadonlySet<string>): Promise<NamedResources> {
  const users = await readInChunks([...texts], (some) => listUsers(db, some));
  const groups = await readInChunks([...texts], (some) => listGroups(db, some));
  const managed = [...users, ...groups].filter(({ isManaged }) => isManaged);
  return {
    user: toIdsByText(texts, users),
    group: toIdsByText(texts, groups),
    managed: new Set(managed.map(({ id }) => id)),
    accounts: toAccountsByText(texts, users),
  };
}

function toAccountsByText(
  texts: ReadonlySet<string>,
  users: readonly Named[],
): Map<string, Set<number>> {
  const accounts = new Map(users.map(({ id, account }) => [id, account]));
  const found = [...toIdsByText(texts, users)].map(([text, ids]): [string, Set<number>] => [
    text,
    new Set([...ids].flatMap((id) => accounts.get(id) ?? [])),
  ]);
  return new Map(found.filter(([, { size }]) => size > 0));
}

function toIdsByText(
  texts: ReadonlySet<string>,
  found: readonly Named[],
): Map<string, Set<string>> {
  const idsByName = new Map<string, Set<string>>();
  for (const { id, names } of found) {
    for (const name of names) idsByName.set(name, (idsByName.get(name) ?? new Set()).add(id));
  }
  const idsByText = new Map<string, Set<string>>();
  for (const text of texts) {
    const ids = idsByName.get(text) ?? idsByName.get(foldCase(text));
    if (ids !== undefined) idsByText.set(text, ids);
  }
  return idsByText;
}

async function listUsers(db: Db, texts: readonly string[]): Promise<Named[]> {
  const folded = sql.join(texts.map(foldCase));
  const { rows } = await sql<UserNames>`
    select id, origin, upstream_id, observed_user_name_folded, observed_email_folded from users
    where upstream_id in (${toIds(texts)})
      or observed_user_name_folded in (${folded}) or observed_email_folded in (${folded})`.execute(
    db,
  );
  return rows.map((row) => ({
    ...toNamed(row, [row.upstream_id, row.observed_user_name_folded, row.observed_email_folded]),
    account: row.upstream_id,
  }));
}

async function listGroups(db: Db, texts: readonly string[]): Promise<Named[]> {
  const [plain, folded] = [sql.join([...texts]), sql.join(texts.map(foldCase))];
  const { rows } = await sql<GroupNames>`
    select id, origin, upstream_scim_id, upstream_rest_id, upstream_uid, display_name_folded from groups
    where upstream_rest_id in (${toIds(texts)}) or upstream_uid in (${plain})
      or upstream_scim_id in (${plain}) or display_name_folded in (${folded})`.execute(db);
  return rows.map((row) =>
    toNamed(row, [
      row.upstream_scim_id,
      row.upstream_rest_id,
      row.upstream_uid,
      row.display_name_folded,
    ]),
  );
}

/** The texts that can be numeric ids; a list in SQL is never empty. */
function toIds(texts: readonly string[]) {
  const ids = texts.filter((text) => /^\d{1,15}$/.test(text)).map(Number);
  return sql.join(ids.length > 0 ? ids : [-1]);
}

function toNamed(
  { id, origin }: Pick<UserNames, 'id' | 'origin'>,
  names: readonly (string | number | null)[],
): Named {
  return {
    id,
    isManaged: origin !== null,
    names: names.flatMap((name) => (name === null ? [] : [String(name)])),
  };
}

/** Names beside rows that are about a user or group, or about a user in a group. */
interface SubjectNames {
  /** `name` and `memberName`; null where the store has them no more. */
  readonly columns: RawBuilder<unknown>;
  readonly joins: RawBuilder<unknown>;
}

/** Columns and joins that add the names of the subjects to a query; `row` is the alias of its rows. */
export function joinSubjectNames(row: string): SubjectNames {
  const type = sql.ref(`${row}.resource_type`);
  const id = sql.ref(`${row}.resource_id`);
  return {
    columns: sql`coalesce(named_user.user_name, named_group.display_name) as name, member.user_name as "memberName"`,
    joins: sql`left join users as named_user on ${type} = 'user' and named_user.id = ${id}
      left join groups as named_group on ${type} = 'group' and named_group.id = ${id}
      left join users as member on member.id = ${sql.ref(`${row}.member_id`)}`,
  };
}
