import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import type { Deactivation } from '../../domain/user.ts';
import type { Db } from '../../store/database.ts';
import {
  countWaitingPeople,
  findGroupFor,
  findUserFor,
  listGroupsFor,
  listUsersFor,
  type ResourcePart,
} from '../../store/resource-lists.ts';
import { type ListAnswer, toListAnswer } from '../list-query.ts';
import { type GroupItem, toGroupItem, toUserItem, type UserItem } from './items.ts';

/** One kind of resource as operators ask for it. */
export interface ResourceSource<Item> {
  readonly list: (part: ResourcePart) => Promise<ListAnswer<Item>>;
  /** Deleted or not; undefined: there is none. */
  readonly find: (id: string) => Promise<Item | undefined>;
  readonly adopt: (request: AdoptionRequest) => Promise<Adoption>;
}

/** People and groups. */
export interface ResourceSources {
  readonly users: ResourceSource<UserItem>;
  readonly groups: ResourceSource<GroupItem>;
}

/** What takes an account or group over. */
export interface Adopters {
  readonly adoptUser: (request: AdoptionRequest) => Promise<Adoption>;
  readonly adoptGroup: (request: AdoptionRequest) => Promise<Adoption>;
}

/** The people and groups of a store. */
export function createResourceSources(
  db: Db,
  deactivation: Deactivation,
  { adoptUser, adoptGroup }: Adopters,
): ResourceSources {
  return {
    users: {
      async list(part) {
        const rows = await listUsersFor(db, part);
        return toListAnswer(rows, part.limit, (row) => toUserItem(row, deactivation));
      },
      async find(id) {
        const row = await findUserFor(db, id);
        return row && toUserItem(row, deactivation);
      },
      adopt: adoptUser,
    },
    groups: {
      async list(part) {
        const rows = await listGroupsFor(db, part);
        const waiting = await countWaitingPeople(
          db,
          rows.map(({ id }) => id),
        );
        return toListAnswer(rows, part.limit, (row) => toGroupItem(row, waiting.get(row.id)));
      },
      async find(id) {
        const row = await findGroupFor(db, id);
        if (row === undefined) return undefined;
        return toGroupItem(row, (await countWaitingPeople(db, [row.id])).get(row.id));
      },
      adopt: adoptGroup,
    },
  };
}
