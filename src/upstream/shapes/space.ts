import { createReader } from './reader.ts';

/** A space. */
export interface Space {
  readonly id: number;
  readonly title: string | undefined;
}

/** One space of retrieveListOfSpaces. @throws UpstreamError `unreadable` */
export function parseSpace(body: unknown): Space {
  const reader = createReader('space', body);
  return { id: reader.integer('id'), title: reader.textOrUndefined('title') };
}

/** An entity of the tree in which a group has a role. */
export interface GroupEntity {
  readonly uid: string;
  readonly title: string | undefined;
}

/** One entity of getListOfGroupEntities. @throws UpstreamError `unreadable` */
export function parseGroupEntity(body: unknown): GroupEntity {
  const reader = createReader('group entity', body);
  return { uid: reader.text('uid'), title: reader.textOrUndefined('title') };
}

/** A group as a company user shows it. */
export interface JoinedGroup {
  readonly uid: string;
  readonly name: string | undefined;
}

/** One group of a company user. @throws UpstreamError `unreadable` */
export function parseJoinedGroup(body: unknown): JoinedGroup {
  const reader = createReader('group of a company user', body);
  return { uid: reader.text('uid'), name: reader.textOrUndefined('name') };
}
