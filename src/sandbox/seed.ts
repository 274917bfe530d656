import { type Directory, newGroup, newUser } from './directory.ts';
import type { Change, SandboxGroup, SandboxUser } from './model.ts';

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
export function seedDirectory(directory: Directory, seed: Seed): void {
  const users = count(seed.users, (index) => toUser(directory, index));
  const groups = count(seed.groups, (index) => toGroup(directory, index));
  const { nextId } = directory.state.groups;
  const links = groups.flatMap((group, index): Change[] => {
    if (group.id < nextId) return [];
    const wanted = seed.groupSizes?.[index] ?? seed.membersPerGroup ?? 20;
    return count(Math.min(wanted, users.length), (place) => {
      const userId = users[(index * wanted + place) % users.length]?.id ?? 0;
      return { kind: 'link', link: 'member', groupId: group.id, userId, present: true };
    });
  });
  directory.state.commit([
    ...users.map((user): Change => ({ kind: 'user', user })),
    ...groups.map((group): Change => ({ kind: 'group', group })),
    ...links,
  ]);
}

function count<T>(length = 0, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

function toUser(directory: Directory, index: number): SandboxUser {
  const { users } = directory.state;
  const userName = `user${String(index + 1).padStart(5, '0')}`;
  const email = `${userName}@example.com`;
  const known = users.findBy('userName', userName) ?? users.findBy('email', email);
  if (known !== undefined) return known;
  const family = Math.floor(index / GIVEN.length) % FAMILY.length;
  const fullName = `${GIVEN[index % GIVEN.length]} ${FAMILY[family]}`;
  return { ...newUser(directory, email), id: users.nextId + index, fullName };
}

function toGroup(directory: Directory, index: number): SandboxGroup {
  const { groups } = directory.state;
  const name = `Group ${String(index + 1).padStart(3, '0')}`;
  const known = groups.findBy('name', name);
  return known ?? { ...newGroup(directory, name), id: groups.nextId + index };
}
