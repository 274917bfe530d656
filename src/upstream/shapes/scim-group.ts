import { createReader, findEntryValue, type Reader, toInteger } from './reader.ts';

/** A group as the service's SCIM interface shows it. */
export interface ScimGroup {
  readonly id: string;
  readonly displayName: string;
  /** Ids of the members; undefined when the answer does not list them, which is no empty group. */
  readonly memberIds: readonly number[] | undefined;
}

/** One group of an answer or of a list. @throws UpstreamError `unreadable` */
export function parseScimGroup(body: unknown): ScimGroup {
  const reader = createReader('SCIM group', body);
  return {
    id: reader.idText('id'),
    displayName: reader.text('displayName'),
    memberIds: reader.list('members')?.map((entry) => parseMemberId(reader, entry)),
  };
}

function parseMemberId(reader: Reader, entry: unknown): number {
  const id = toInteger(findEntryValue(entry));
  if (id === undefined) throw reader.fail('members', 'a list of ids');
  return id;
}
