import { randomUUID } from 'node:crypto';
import type { SandboxGroup, SandboxUser } from './model.ts';
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
    ...{ id: directory.state.users.nextId, uid: randomUUID(), created: now, updated: now },
    ...{ email, userName: name, fullName: name, role: 2, active: true, virtual: false },
    ...{ temporarilyInactive: false, appsPermissions: 1, permissions: 0 },
  };
}

/** A group without rights and without members. */
export function newGroup(directory: Directory, name: string): SandboxGroup {
  const now = timestamp(directory);
  return {
    ...{ id: directory.state.groups.nextId, uid: randomUUID(), created: now, updated: now },
    ...{ scimId: randomUUID(), name, permissions: 0, addToCardsAndSpacesEnabled: false },
  };
}

/** The present moment as the service writes it: ISO 8601, milliseconds, UTC. */
export function timestamp({ nowMs }: Directory): string {
  return new Date(nowMs()).toISOString();
}
