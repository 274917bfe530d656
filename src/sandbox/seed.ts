import { type Directory, timestamp } from './directory.ts';
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

const givenNames = ['Ada', 'Boris', 'Chen', 'Dana', 'Emil', 'Farah', 'Goran', 'Hana', 'Ivo', 'Jo'];
const familyNames = ['Adler', 'Braun', 'Costa', 'Duval', 'Evans', 'Fischer', 'Garcia', 'Hansen'];

/**
 * Adds users `user00001@example.com` … and groups `Group 001` … as if they had always been there: in one commit,
 * without audit events. The same seed makes the same company, but for uids and times; what is there already stays.
 */
export function seedDirectory(directory: Directory, seed: Seed): void {
  const users = Array.from({ length: seed.users ?? 0 }, (_, index) => toUser(directory, index));
  const groups = Array.from({ length: seed.groups ?? 0 }, (_, index) => toGroup(directory, index));
  const links = groups.flatMap((group, index): Change[] => {
    if (group.id < directory.state.nextGroupId) return [];
    const wanted = seed.groupSizes?.[index] ?? seed.membersPerGroup ?? 20;
    return Array.from({ length: Math.min(wanted, users.length) }, (_, place) => {
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

function toUser(directory: Directory, index: number): SandboxUser {
  const { state } = directory;
  const userName = `user${String(index + 1).padStart(5, '0')}`;
  const email = `${userName}@example.com`;
  const known = state.findUserByUserName(userName) ?? state.findUserByEmail(email);
  if (known !== undefined) return known;
  const given = givenNames[index % givenNames.length] ?? '';
  const family = familyNames[Math.floor(index / givenNames.length) % familyNames.length] ?? '';
  const now = timestamp(directory);
  return {
    id: state.nextUserId + index,
    uid: directory.newUid(),
    email,
    userName,
    fullName: `${given} ${family}`,
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

function toGroup(directory: Directory, index: number): SandboxGroup {
  const name = `Group ${String(index + 1).padStart(3, '0')}`;
  const known = directory.state.findGroupByName(name);
  if (known !== undefined) return known;
  const now = timestamp(directory);
  return {
    id: directory.state.nextGroupId + index,
    uid: directory.newUid(),
    scimId: directory.newUid(),
    name,
    permissions: 0,
    addToCardsAndSpacesEnabled: false,
    created: now,
    updated: now,
  };
}
