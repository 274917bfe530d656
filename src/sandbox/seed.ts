import type { Change } from './model.ts';
import { newGroup, newUser } from './model.ts';
import type { State } from './state.ts';

/** Size of the company to invent. */
export interface Seed {
  readonly users?: number | undefined;
  readonly groups?: number | undefined;
  /** Members of the first groups; the others have `membersPerGroup`. Never more than there are users. */
  readonly groupSizes?: readonly number[] | undefined;
  /** Default 20. */
  readonly membersPerGroup?: number | undefined;
}

const GIVEN = ['Ada', 'Boris', 'Chen', 'Dana', 'Emil', 'Farah', 'Goran', 'Hana', 'Ivo', 'Jo'];
const FAMILY = ['Adler', 'Braun', 'Costa', 'Duval', 'Evans', 'Fischer', 'Garcia', 'Hansen'];

/**
 * Adds users `user00001@example.com` … and groups `Group 001` … as if they had always been there: in one commit,
 * without audit events. The same seed makes the same company, but for uids and times; what is there already stays.
 */
export function seedCompany(state: State, now: string, seed: Seed): void {
  const firstId = { user: state.users.nextId, group: state.groups.nextId };
  const users = count(seed.users, (index) => {
    const userName = `user${String(index + 1).padStart(5, '0')}`;
    const email = `${userName}@example.com`;
    const family = FAMILY[Math.floor(index / GIVEN.length) % FAMILY.length];
    const fullName = `${GIVEN[index % GIVEN.length]} ${family}`;
    const known = state.findUser('userName', userName) ?? state.findUser('email', email);
    return known ?? { ...newUser(firstId.user + index, email, now), fullName };
  });
  const groups = count(seed.groups, (index) => {
    const name = `Group ${String(index + 1).padStart(3, '0')}`;
    const known = state.groups.all().find((group) => group.name === name);
    return known ?? newGroup(firstId.group + index, name, now);
  });
  const links = groups.flatMap(({ id: groupId }, index): Change[] => {
    if (groupId < firstId.group) return [];
    const wanted = seed.groupSizes?.[index] ?? seed.membersPerGroup ?? 20;
    return count(Math.min(wanted, users.length), (place) => {
      const userId = users[(index * wanted + place) % users.length]?.id ?? 0;
      return { kind: 'link', link: 'member', groupId, userId, present: true };
    });
  });
  state.commit([
    ...users.map((user): Change => ({ kind: 'user', user })),
    ...groups.map((group): Change => ({ kind: 'group', group })),
    ...links,
  ]);
}

function count<T>(length = 0, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}
