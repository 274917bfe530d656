import { createReader, findEntryValue, type Reader, toIdText, toText } from './reader.ts';

/** A user in the service's SCIM interface. */
export type ScimUser = Readonly<ReturnType<typeof parseScimUser>>;

/** One user of an answer or of a list. @throws UpstreamError `unreadable` */
export function parseScimUser(body: unknown) {
  const reader = createReader('SCIM user', body);
  return {
    id: reader.integer('id'),
    userName: reader.textOrUndefined('userName'),
    ...parseName(reader),
    active: reader.flag('active'),
    /** Time at which the account was made, as the service writes it. */
    created: toText(Object(reader.raw('meta')).created),
    /** Addresses in the order of the answer; empty when it lacks them. */
    emails: parseEmails(reader),
    /** SCIM ids of the user's groups; undefined when the answer does not list them, as lists of users do not. */
    groupIds: reader.ids('groups', toIdText),
  };
}

interface Name {
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  /** Both names as one, as the service joins them; '' when the answer lacks them. */
  readonly fullName: string;
}

/** A name comes in parts, formatted, or as one text. */
function parseName(reader: Reader): Name {
  const raw = reader.raw('name');
  if (raw === undefined || typeof raw === 'string')
    return { givenName: undefined, familyName: undefined, fullName: raw ?? '' };
  const name = createReader('SCIM user name', raw);
  const givenName = name.textOrUndefined('givenName');
  const familyName = name.textOrUndefined('familyName');
  const joined = [givenName, familyName].filter(Boolean).join(' ');
  return { givenName, familyName, fullName: joined || (name.textOrUndefined('formatted') ?? '') };
}

/** Addresses come as a list, or as the object of the only one; an account without a mailbox has one without a value. */
function parseEmails(reader: Reader): string[] {
  const raw = reader.raw('emails');
  const isOne = typeof raw === 'object' && !Array.isArray(raw);
  const entries = isOne ? [raw] : (reader.list('emails') ?? []);
  return entries.flatMap((entry) => {
    const value = findEntryValue(entry) ?? [];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return [];
    throw reader.fail('emails', 'a list of addresses');
  });
}
