import { randomUUID } from 'node:crypto';
import type { Change, SandboxGroup, SandboxUser } from './model.ts';
import type { SandboxShape } from './shape.ts';
import { type Journal, State } from './state.ts';

/** The imitated company: its state, and the inputs of its rules. */
export interface Directory {
  readonly state: State;
  /** The account behind the token. */
  readonly ownerId: number;
  shape(): SandboxShape;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** Creates a company with one owner account, to whom the token belongs, or loads the one of the journal. */
export function createDirectory(
  journal: Journal | undefined,
  nowMs: () => number,
  shape: () => SandboxShape,
): Directory {
  const state = new State(journal);
  // The owner is always the first account, and ordinary accounts are never removed.
  const directory: Directory = { state, ownerId: 1, shape, nowMs };
  const owner: SandboxUser = {
    ...newUser(directory, 'owner@example.com'),
    fullName: 'Olivia Owner',
    role: 1,
    permissions: 1_048_567, // Every documented right.
  };
  if (state.users.size === 0) state.commit([{ kind: 'user', user: owner }]);
  return directory;
}

/** An ordinary account that takes a licence, with names made from its address. */
export function newUser(directory: Directory, email: string): SandboxUser {
  const name = email.slice(0, email.indexOf('@'));
  const now = timestamp(directory);
  return {
    id: directory.state.users.nextId,
    uid: randomUUID(),
    email,
    userName: name,
    fullName: name,
    role: 2,
    active: true,
    temporarilyInactive: false,
    appsPermissions: 1,
    permissions: 0,
    virtual: false,
    created: now,
    updated: now,
  };
}

/** A group without rights and without members. */
export function newGroup(directory: Directory, name: string): SandboxGroup {
  const now = timestamp(directory);
  return {
    id: directory.state.groups.nextId,
    uid: randomUUID(),
    scimId: randomUUID(),
    name,
    permissions: 0,
    addToCardsAndSpacesEnabled: false,
    created: now,
    updated: now,
  };
}

/** The present moment as the service writes it: ISO 8601, milliseconds, UTC. */
export function timestamp({ nowMs }: Directory): string {
  return new Date(nowMs()).toISOString();
}

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
  const { nextId } = directory.state.groups;
  const users = count(seed.users, (index) => toUser(directory, index));
  const groups = count(seed.groups, (index) => toGroup(directory, index));
  const links = groups.flatMap(({ id: groupId }, index): Change[] => {
    if (groupId < nextId) return [];
    const wanted = seed.groupSizes?.[index] ?? seed.membersPerGroup ?? 20;
    return count(Math.min(wanted, users.length), (place) => {
      const userId = users[(index * wanted + place) % users.length]?.id ?? 0;
      return { kind: 'link', link: 'member', groupId, userId, present: true };
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
  const family = FAMILY[Math.floor(index / GIVEN.length) % FAMILY.length];
  const fullName = `${GIVEN[index % GIVEN.length]} ${family}`;
  return known ?? { ...newUser(directory, email), id: users.nextId + index, fullName };
}

function toGroup(directory: Directory, index: number): SandboxGroup {
  const { groups } = directory.state;
  const name = `Group ${String(index + 1).padStart(3, '0')}`;
  const known = groups.findBy('name', name);
  return known ?? { ...newGroup(directory, name), id: groups.nextId + index };
}
