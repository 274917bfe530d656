import { randomUUID } from 'node:crypto';
import type { Directory } from './directory.ts';
import { addUser } from './directory-users.ts';
import type { Change } from './model.ts';
import type { SandboxShape } from './shape.ts';
import { State } from './state.ts';
import type { StateFile } from './state-file.ts';

/** Creates a company with one owner account, to whom the token belongs, or loads the one of the file. */
export function createDirectory(
  file: StateFile | undefined,
  nowMs: () => number,
  shape: () => SandboxShape,
): Directory {
  const state = new State(file, file?.remembered);
  const companyUid = file?.keep('company-uid', randomUUID) ?? randomUUID();
  const directory: Directory = {
    state,
    companyUid,
    ownerId: 1, // Always the first account, and ordinary accounts are never removed.
    shape,
    nowMs,
    newUid: randomUUID,
  };
  if (state.users.size === 0) addOwner(directory);
  return directory;
}

/** Removes all accounts but the owner; ids go on counting. */
export function clearDirectory({ state, ownerId }: Directory): void {
  const groups = state.groups.all();
  const users = state.users.all().filter(({ id }) => id !== ownerId);
  const owner = state.users.all().filter(({ id }) => id === ownerId);
  state.commit([
    ...owner.map((user): Change => ({ kind: 'user', user: { ...user, role: 1, active: true } })),
    ...groups.map((group): Change => ({ kind: 'group-removed', groupId: group.id })),
    ...users.map((user): Change => ({ kind: 'user-removed', userId: user.id })),
    { kind: 'events-cleared' },
  ]);
}

function addOwner(directory: Directory): void {
  const author = { userId: directory.ownerId, address: '127.0.0.1' };
  addUser(directory, author, {
    email: 'owner@example.com',
    userName: 'owner',
    fullName: 'Olivia Owner',
    role: 1,
    permissions: 1_048_567, // Every documented right.
  });
  directory.state.commit([{ kind: 'events-cleared' }]);
}
