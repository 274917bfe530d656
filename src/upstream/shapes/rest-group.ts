import { createReader } from './reader.ts';

/** A company group as the REST interface shows it. */
export interface RestGroup {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  /** Bit mask; undefined when the answer lacks it. */
  readonly permissions: number | undefined;
  readonly addToCardsAndSpacesEnabled: boolean | undefined;
  /** Number of members, when the request asked for it. */
  readonly usersCount: number | undefined;
}

/** One group of an answer or of a list. @throws UpstreamError `unreadable` */
export function parseRestGroup(body: unknown): RestGroup {
  const reader = createReader('REST group', body);
  return {
    id: reader.integer('id'),
    uid: reader.idText('uid'),
    name: reader.text('name'),
    permissions: reader.integerOrUndefined('permissions'),
    addToCardsAndSpacesEnabled: reader.flagOrUndefined('add_to_cards_and_spaces_enabled'),
    usersCount: reader.integerOrUndefined('users_count'),
  };
}
