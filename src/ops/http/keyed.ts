import { assertNever } from '../../domain/errors.ts';
import type { GivenKey } from '../../domain/ids.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { listGroupsByKey, listUsersByKey, preferCurrent } from '../../store/resources/explained.ts';
import type { Db } from '../../store/store.ts';
import type { UserRow } from '../../store/users/users.ts';
import { type Answer, ok, type Problem, problem } from './route.ts';

/** Resources that fit a key: one with what is told of it, none, or several. */
export type Keyed<T> =
  | { readonly kind: 'found'; readonly id: string; readonly value: T }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly found: readonly GivenKey[] };

/** One resource that fits, read when it is the only one. */
interface Candidate<T> extends GivenKey, Pick<UserRow, 'deleted_at' | 'due_at'> {
  readonly read: () => Promise<T>;
}

/** Reads of one thing that is told of users and of groups, by a SCIM id, a userName, an address or a displayName. */
export interface KeyedSource<T, Args extends readonly unknown[] = []> {
  readonly user: (key: string, ...args: Args) => Promise<Keyed<T>>;
  readonly group: (key: string, ...args: Args) => Promise<Keyed<T>>;
  /** A user or a group. */
  readonly any: (key: string, ...args: Args) => Promise<Keyed<T>>;
}

/** Reads from the rows of a store. */
export function createKeyedSource<T, Args extends readonly unknown[]>(
  db: Db,
  readUser: (row: UserRow, ...args: Args) => Promise<T>,
  readGroup: (row: GroupRow, ...args: Args) => Promise<T>,
): KeyedSource<T, Args> {
  const findUsers = async (key: string, args: Args) =>
    (await listUsersByKey(db, key)).map((row): Candidate<T> => {
      return { ...row, type: 'user', read: () => readUser(row, ...args) };
    });
  const findGroups = async (key: string, args: Args) =>
    (await listGroupsByKey(db, key)).map((row): Candidate<T> => {
      return { ...row, type: 'group', read: () => readGroup(row, ...args) };
    });
  return {
    user: async (key, ...args) => toKeyed(await findUsers(key, args)),
    group: async (key, ...args) => toKeyed(await findGroups(key, args)),
    any: async (key, ...args) =>
      toKeyed(preferCurrent([...(await findUsers(key, args)), ...(await findGroups(key, args))])),
  };
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
