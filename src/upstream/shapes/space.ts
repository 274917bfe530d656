import { createReader, parseEntries, toIdText } from './reader.ts';

/** One space of retrieveListOfSpaces. @throws UpstreamError `unreadable` */
export function parseSpace(body: unknown) {
  const reader = createReader('space', body);
  return { id: reader.integer('id'), title: reader.textOrUndefined('title') };
}

/** Entities of the tree in which a group has a role, by getListOfGroupEntities. @throws UpstreamError `unreadable` */
export function parseGroupEntities(body: unknown) {
  return parseEntries('group entities', body).map(parseGroupEntity);
}

function parseGroupEntity(body: unknown) {
  const reader = createReader('group entity', body);
  /** The ids of the group's own roles, without those that come from an entity above. */
  const roles = (reader.list('own_role_ids') ?? []).map((role) => {
    const id = toIdText(role);
    if (id === undefined) throw reader.fail('own_role_ids', 'a list of ids');
    return id;
  });
  return { uid: reader.text('uid'), title: reader.textOrUndefined('title'), roles };
}

/** A group as a company user shows it. */
export type JoinedGroup = Readonly<ReturnType<typeof parseJoinedGroup>>;

/** One group of a company user. @throws UpstreamError `unreadable` */
export function parseJoinedGroup(body: unknown) {
  const reader = createReader('group of a company user', body);
  return { uid: reader.text('uid'), name: reader.textOrUndefined('name') };
}
