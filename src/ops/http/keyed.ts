import { assertNever } from '../../domain/errors.ts';
import type { GivenKey } from '../../domain/ids.ts';
import { listByKey, preferCurrent } from '../../store/resources/explained.ts';
import type { GroupRow, UserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { type Answer, ok, type Problem, problem } from './route.ts';

/** Resources that fit a key: one with what was read of it, none, or several. */
export type Keyed<T> =
  | { readonly kind: 'found'; readonly id: string; readonly value: T }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly found: readonly GivenKey[] };

/** One resource that fits, read when it is the only one. */
interface Candidate<T> extends GivenKey, Pick<UserRow, 'deleted_at' | 'due_at'> {
  readonly read: () => Promise<T>;
}

/** Readers of the same about a user and about a group. */
export interface KeyedReaders<T> {
  readonly user: (row: UserRow) => Promise<T>;
  readonly group: (row: GroupRow) => Promise<T>;
}

/** The type of what a key is of; `any`: a user or a group. */
export type KeyedType = 'user' | 'group' | 'any';

/** Paths of a request about a user, a group, and whichever of them has the key. */
export const listKeyedPaths = <Thing extends string>(thing: Thing) =>
  [
    { path: `/users/{key}/${thing}`, type: 'user', of: 'of a person' },
    { path: `/groups/{key}/${thing}`, type: 'group', of: 'of a group' },
    { path: `/${thing}/{key}`, type: 'any', of: 'of a person or a group' },
  ] as const;

/** Reads the one that has this SCIM id, userName, address or displayName. */
export async function readKeyed<T>(
  db: Db,
  key: string,
  type: KeyedType,
  read: KeyedReaders<T>,
): Promise<Keyed<T>> {
  const users = type === 'group' ? [] : await listByKey(db, 'user', key);
  const groups = type === 'user' ? [] : await listByKey(db, 'group', key);
  const found: Candidate<T>[] = [
    ...users.map((row) => ({ ...row, read: () => read.user(row) })),
    ...groups.map((row) => ({ ...row, read: () => read.group(row) })),
  ];
  return toKeyed(type === 'any' ? preferCurrent(found) : found);
}

/** Reads the only candidate. */
async function toKeyed<T>(candidates: readonly Candidate<T>[]): Promise<Keyed<T>> {
  const [only] = candidates;
  if (only === undefined) return { kind: 'none' };
  if (candidates.length === 1) return { kind: 'found', id: only.id, value: await only.read() };
  return { kind: 'several', found: candidates.map(({ type, id }) => ({ type, id })) };
}

/** The answer with the only resource that fits; 404 when nothing fits, 409 when several do. */
export function answerKeyed<T>(
  keyed: Keyed<T>,
): Answer<200, T> | Answer<404, Problem> | Answer<409, Problem> {
  switch (keyed.kind) {
    case 'found':
      return ok(keyed.value);
    case 'none':
      return problem(404, 'not-found', 'Nothing has this id or name.');
    case 'several': {
      const { found } = keyed;
      const list = found.map(({ type, id }) => `${type} ${id}`).join(', ');
      const message = `Several have this name, ask for one by its id: ${list}.`;
      return problem(409, 'ambiguous', message, { found });
    }
    default:
      return assertNever(keyed);
  }
}
