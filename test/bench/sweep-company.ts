import { DatabaseSync } from 'node:sqlite';

/** How much a sweep has to compare; the first groups are the large ones. */
export interface SweepSize {
  readonly users: number;
  readonly groups: number;
  readonly groupSizes?: readonly number[];
  readonly membersPerGroup: number;
}

/** What a store holds. */
export interface Contents {
  readonly users: number;
  readonly groups: number;
  readonly memberships: number;
}

/**
 * Makes everybody and every group that a first read stored managed, with who is there as who is wanted: what
 * an adoption through SCIM leaves behind, in a few seconds instead of minutes. No process may have the store.
 * @param file of the SQLite store.
 */
export function adoptEverything(file: string): Contents {
  const store = new DatabaseSync(file);
  try {
    store.exec(`begin;
      update resources set origin = 'adopted' where origin is null;
      update memberships set desired = observed where desired is null;
      commit;`);
    return {
      users: count(store, "resources where type = 'user'"),
      groups: count(store, "resources where type = 'group'"),
      memberships: count(store, 'memberships'),
    };
  } finally {
    store.close();
  }
}

function count(store: DatabaseSync, rows: string): number {
  return Number(store.prepare(`select count(*) as number from ${rows}`).get()?.number);
}
