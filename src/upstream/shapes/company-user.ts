import { createReader, type Reader, toInteger, toText } from './reader.ts';

/** Role of an owner of the company. */
export const OWNER_ROLE = 1;
/** Role of an account that was deactivated. */
export const DEACTIVATED_ROLE = 3;

/** A user in the company's list. A field that the answer lacks is undefined. */
export type CompanyUser = Readonly<ReturnType<typeof parseCompanyUser>>;

/** One user of companyUsers, or of users.retrieveCurrentUser. @throws UpstreamError `unreadable` */
export function parseCompanyUser(body: unknown) {
  const reader = createReader('company user', body);
  return {
    id: reader.integer('id'),
    email: reader.textOrUndefined('email'),
    username: reader.textOrUndefined('username'),
    fullName: reader.textOrUndefined('full_name'),
    role: parseRole(reader),
    virtual: reader.flagOrUndefined('virtual'),
    /** Bits: 1 full access, 2 guest, 4 service desk; undefined as well where the answer says it in another way. */
    appsPermissions: toInteger(reader.raw('apps_permissions')),
    temporarilyInactive: reader.flagOrUndefined('temporarily_inactive'),
    takesLicence: reader.flagOrUndefined('take_licence'),
    companyId: toInteger(reader.raw('company_id')),
  };
}

/**
 * `OWNER_ROLE`, 2 user, `DEACTIVATED_ROLE`, or the word for it. An unknown word may be an owner's, and is an error.
 * @throws UpstreamError
 */
function parseRole(reader: Reader): number | undefined {
  const word = toText(reader.raw('role'))?.toLowerCase() ?? '';
  return ROLE_WORDS.get(word) ?? reader.integerOrUndefined('role');
}

const ROLE_WORDS: ReadonlyMap<string, number> = new Map([
  ['owner', OWNER_ROLE],
  ['user', 2],
  ['deactivated', DEACTIVATED_ROLE],
]);
