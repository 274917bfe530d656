import type { Cells } from '../../domain/cell.ts';
import type { GroupField } from '../../domain/group.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { UserField } from '../../domain/user.ts';
import { parseStored } from '../engine/columns.ts';
import type { LinkWrite } from '../links/links.ts';
import type { Origin } from '../schema.ts';

/** Facts that take one write of a user or group back. */
export interface Undo<Before> {
  /** The user or group before the write; undefined: there was none. */
  readonly before: Before | undefined;
  /** Attributes as the write left them, as stored: while they are unchanged, no later write changed them. */
  readonly after: string;
}

/** A user or group as a write found it. */
export interface Before<Field extends string> {
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  /** null: only observed, so the write took the account or group over. */
  readonly origin: Origin | null;
  /**
   * The account belonged to a deleted user, and the write gave it to a new one; or the group had been released, and the
   * write took it up again.
   */
  readonly deleted: boolean;
}

/** A user as a write found it. */
export type UserBefore = Before<UserField>;

/** Facts that take one write of a user back. */
export interface UserUndo extends Undo<UserBefore> {
  readonly type: 'user';
}

/** Facts that take one write of a group back. */
export interface GroupUndo extends Undo<GroupBefore> {
  readonly type: 'group';
  /** The links that the write changed, as they were; null: there was none. */
  readonly members: ReadonlyMap<UserId, LinkWrite | null>;
  readonly admins: ReadonlyMap<UserId, LinkWrite | null>;
  /** True when the write removes members or admins, which is never taken back for the rest of it. */
  readonly removes?: boolean;
}

/** A group as a write found it. */
interface GroupBefore extends Before<GroupField> {
  /** 1: a provider wrote the list of admins; absent: none did. */
  readonly adminsAsked?: number;
}

/** Narrows an undo to that of a user. */
export function isUserUndo(undo: UserUndo | GroupUndo): undo is UserUndo {
  return undo.type === 'user';
}

/** Narrows an undo to that of a group. */
export function isGroupUndo(undo: UserUndo | GroupUndo): undo is GroupUndo {
  return undo.type === 'group';
}

/** An undo as JSON has it: links are a list of pairs there. */
type StoredUndo =
  | UserUndo
  | (Omit<GroupUndo, 'members' | 'admins'> & {
      readonly members: readonly Pair[];
      readonly admins: readonly Pair[];
    });
type Pair = readonly [string, LinkWrite | null];

/** Text of an undo, as `parseUndo` reads it. */
export function toUndoText(undo: UserUndo | GroupUndo): string {
  if (undo.type === 'user') return JSON.stringify(undo);
  return JSON.stringify({ ...undo, members: [...undo.members], admins: [...undo.admins] });
}

/** The undo of a request that waits in another process. */
export function parseUndo(text: string): UserUndo | GroupUndo {
  const undo = parseStored<StoredUndo>(text);
  if (undo.type === 'user') return undo;
  return { ...undo, members: toLinks(undo.members), admins: toLinks(undo.admins) };
}

function toLinks(pairs: readonly Pair[]): GroupUndo['members'] {
  return new Map(pairs.map(([id, link]) => [userId(id), link]));
}
