import { createReader, parseEntries, toText } from './reader.ts';

/** A company group as the REST interface shows it. A field that the answer lacks is undefined. */
export type RestGroup = Readonly<ReturnType<typeof parseRestGroup>>;

/** One group of an answer or of a list. @throws UpstreamError `unreadable` */
export function parseRestGroup(body: unknown) {
  const reader = createReader('REST group', body);
  return {
    id: reader.integer('id'),
    uid: reader.idText('uid'),
    name: reader.text('name'),
    created: toText(reader.raw('created')),
    permissions: reader.integerOrUndefined('permissions'),
    addToCardsAndSpacesEnabled: reader.flagOrUndefined('add_to_cards_and_spaces_enabled'),
    /** Number of members, when the request asked for it. */
    usersCount: reader.integerOrUndefined('users_count'),
  };
}

/** One user of groupUsers or groupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUser(body: unknown) {
  return { id: createReader('group user', body).integer('id') };
}

/** The answer of getListOfGroupUsers and getListOfGroupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUsers(body: unknown) {
  return parseEntries('group users', body).map(parseGroupUser);
}
