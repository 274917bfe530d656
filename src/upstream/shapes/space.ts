import { createReader, parseEntries, toIdText } from './reader.ts';

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
