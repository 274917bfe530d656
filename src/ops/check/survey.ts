import { users as currentUsers } from '../../upstream/operations/people.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type Look, look, skipped } from './look.ts';
import { type CompanySurvey, surveyCompany, unseenCompany } from './survey-company.ts';
import { type GroupSurvey, surveyGroups, unseenGroups } from './survey-groups.ts';
import { surveyUsers, type UserSurvey, unseenUsers } from './survey-users.ts';

/** The answers of every read that checks and guesses are based on. */
export interface Survey {
  /** The account behind the token. */
  readonly account: Look<CompanyUser>;
  /** The same through the other version prefix of REST paths. */
  readonly otherVersion: Look<CompanyUser>;
  readonly users: UserSurvey;
  readonly groups: GroupSurvey;
  readonly company: CompanySurvey;
}

/** Reads of a whole survey, about. */
export const READS = 25;

/** REST paths exist under both; which one is in use is a setting. */
export type ApiVersion = 'latest' | 'v1';

/** The version that is not this one. */
export function toOtherVersion(version: ApiVersion): ApiVersion {
  return version === 'latest' ? 'v1' : 'latest';
}

/**
 * Looks at every part of the service that the bridge uses, one read after the other. Ends early when the
 * first of them show that nothing more can be learned: there is no answer, the token is refused, or it is another service.
 */
export async function surveyService(transport: Transport, version: ApiVersion): Promise<Survey> {
  const account = await look(() => readAccount(transport, currentUsers.retrieveCurrentUser));
  if (isEnd(account)) return { ...unseen, account };
  const users = await surveyUsers(transport);
  if (account.kind !== 'seen' && isNowhere(users.list)) return { ...unseen, account, users };
  const otherVersion = await look(() => readAccount(transport, toRow(toOtherVersion(version))));
  const groups = await surveyGroups(transport);
  return { account, otherVersion, users, groups, company: await surveyCompany(transport) };
}

const unseen = {
  otherVersion: skipped('not asked'),
  users: unseenUsers,
  groups: unseenGroups,
  company: unseenCompany,
} as const;

/** SCIM rows stand below the base URL without a version, so a path with the other version can be one. */
function toRow(version: ApiVersion) {
  const path = `/api/${version}/users/current` as const;
  return { ...currentUsers.retrieveCurrentUser, api: 'scim', path } as const;
}

async function readAccount(
  transport: Transport,
  operation: typeof currentUsers.retrieveCurrentUser | ReturnType<typeof toRow>,
): Promise<CompanyUser> {
  return parseCompanyUser(await transport.call(operation, {}, { class: 'look' }));
}

/** True when there is no answer, or will be none: every further call would only repeat it. */
function isEnd(account: Look<unknown>): boolean {
  if (account.kind !== 'failed') return false;
  const { code, outcome, status } = account.error;
  if (code === 'credentials-refused' || code === 'rate-limited') return true;
  // An answer that only the reader did not understand came without a status; it says nothing of the other calls.
  if (code === 'unreadable') return status !== undefined;
  return outcome !== 'answered';
}

function isNowhere(list: Look<unknown>): boolean {
  return list.kind === 'failed' && ['not-found', 'unreadable'].includes(list.error.code);
}
