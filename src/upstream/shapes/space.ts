import { createReader, parseEntries, toIdText } from './reader.ts';

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
  /** The ids of the group's own roles, without those that come from an entity above. */
  readonly roles: readonly string[];
}

/** One entity of getListOfGroupEntities. @throws UpstreamError `unreadable` */
function parseGroupEntity(body: unknown): GroupEntity {
  const reader = createReader('group entity', body);
  const roles = (reader.list('own_role_ids') ?? []).map((role) => {
    const id = toIdText(role);
    if (id === undefined) throw reader.fail('own_role_ids', 'a list of ids');
    return id;
  });
  return { uid: reader.text('uid'), title: reader.textOrUndefined('title'), roles };
}

/** The answer of getListOfGroupEntities. @throws UpstreamError `unreadable` */
export function parseGroupEntities(body: unknown): GroupEntity[] {
  return parseEntries('group entities', body).map(parseGroupEntity);
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
