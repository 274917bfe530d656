import { type GroupRow, lockGroup } from '../../store/groups/groups.ts';
import { type DifferingLink, listDifferingLinks } from '../../store/links/links.ts';
import {
  endObservedGroup,
  endObservedUser,
  listRows,
  listUnseen,
  type UnseenPart,
  type UnseenQuery,
} from '../../store/resources/managed.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { isNameUnderWay } from '../../store/resources/sent-creates.ts';
import type { Db, Part } from '../../store/store.ts';
import { lockUser, type UserRow } from '../../store/users/users.ts';
import { compareGroup } from './compare-group.ts';
import { compareUser } from './compare-user.ts';
import { type Comparison, type SeenSince, UNKNOWN } from './comparison.ts';
import { type LookNeeds, lookAtGroupAgain, lookAtUserAgain, type Observation } from './look.ts';
import type { SweepRun } from './run.ts';

/** Dependencies of a look. */
export type Looking = Pick<SweepRun, 'deps' | 'signal'>;

/** Operations by which users and groups are compared in the same steps. */
export interface ComparedKind<Row extends ResourceRow> {
  readonly type: 'user' | 'group';
  /** Rows of one transaction. */
  readonly part: number;
  list(db: Db, part: Part): Promise<Row[]>;
  /** Lists those of the next `limit` rows that no list showed since then. */
  listUnseen(db: Db, query: UnseenQuery): Promise<UnseenPart<Row>>;
  lock(tx: Db, row: Row): Promise<Row | undefined>;
  compare(db: Db, row: Row, seen: SeenSince): Promise<Comparison>;
  /** Forgets an unmanaged resource that the service no longer has. `now` is epoch milliseconds. */
  end(tx: Db, row: Row, now: number): Promise<void>;
  /** Looks at one of them by itself. */
  look(run: Looking, row: Row, needs: LookNeeds): Promise<Observation<Row>>;
}

/** Users, as sweeps compare them. */
export const comparedUsers: ComparedKind<UserRow> = {
  type: 'user',
  part: 500,
  list: (db, part) => listRows(db, 'users', { ...part, of: 'all' }),
  listUnseen: (db, query) => listUnseen(db, 'users', query),
  lock: (tx, { id }) => lockUser(tx, id),
  async compare(db, row, seen) {
    const { observed_user_name_folded: name, observed_email_folded: email } = row;
    const names = [name, email].filter((text) => text !== null);
    if (isNew(row, seen) && (await isNameUnderWay(db, 'users', names))) return UNKNOWN;
    return compareUser(row, seen);
  },
  end: (tx, { id }, now) => endObservedUser(tx, id, now),
  look: lookAtUserAgain,
};

/** Groups, as sweeps compare them: fewer at a time, because each may have many members. */
export const comparedGroups: ComparedKind<GroupRow> = {
  type: 'group',
  part: 20,
  list: (db, part) => listRows(db, 'groups', { ...part, of: 'all' }),
  listUnseen: (db, query) => listUnseen(db, 'groups', query),
  lock: (tx, { id }) => lockGroup(tx, id),
  async compare(db, row, seen) {
    const name = row.display_name_folded;
    if (isNew(row, seen) && (await isNameUnderWay(db, 'groups', [name]))) return UNKNOWN;
    return compareGroup(row, await listLinks(db, row), seen);
  },
  end: (tx, { id }, now) => endObservedGroup(tx, id, now),
  look: lookAtGroupAgain,
};

/** Lists the differing members and admins of a group; an unmanaged group has no desired ones. */
async function listLinks(db: Db, { id, origin }: GroupRow): Promise<DifferingLink[]> {
  return origin === null ? [] : listDifferingLinks(db, id);
}

/** True when this sweep showed it for the first time, so that a create of ours may just have made it. */
function isNew({ origin, created_at }: ResourceRow, { since }: SeenSince): boolean {
  return origin === null && created_at >= since;
}
