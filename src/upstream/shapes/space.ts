import { createReader, parseEntries, toIdText } from './reader.ts';

/** Entities of the tree in which a group has a role, by getListOfGroupEntities. @throws UpstreamError `unreadable` */
export function parseGroupEntities(body: unknown) {
  return parseEntries('group entities', body).map(parseGroupEntity);
}

function parseGroupEntity(body: unknown) {
  const reader = createReader('group entity', body);
  /** The ids of the group's own roles, without those that come from an entity above. */
  const roles = reader.ids('own_role_ids', toIdText) ?? [];
  return { uid: reader.text('uid'), title: reader.textOrUndefined('title'), roles };
}
