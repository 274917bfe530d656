import { createReader, toInteger } from './reader.ts';

/** A group as the service's SCIM interface shows it. */
export type ScimGroup = Readonly<ReturnType<typeof parseScimGroup>>;

/** One group of an answer or of a list. @throws UpstreamError `unreadable` */
export function parseScimGroup(body: unknown) {
  const reader = createReader('SCIM group', body);
  return {
    id: reader.idText('id'),
    displayName: reader.text('displayName'),
    /** Ids of the members; undefined when the answer does not list them, which is no empty group. */
    memberIds: reader.ids('members', toInteger),
  };
}
