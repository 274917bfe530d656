import {
  auditLogs,
  companyUsers,
  users as currentUsers,
} from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type ListSample, parseArrayPage, sampleList } from './list-sample.ts';
import { type Look, look, skipped } from './look.ts';
import { type GroupSurvey, surveyGroups, unseenGroups } from './survey-groups.ts';

/** The answers of every read that checks are based on. */
export interface Survey {
  /** The account behind the token. */
  readonly account: Look<CompanyUser>;
  /** The same through the other version prefix of REST paths. */
  readonly otherVersion: Look<CompanyUser>;
  readonly users: Look<ListSample<ScimUser>>;
  readonly groups: GroupSurvey;
  readonly company: {
    readonly users: Look<ListSample<CompanyUser>>;
    readonly audit: Look<ListSample<AuditEvent>>;
  };
}

/** Reads of a whole survey, about. */
export const READS = 13;

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
  const users = await sampleUsers(transport);
  if (account.kind !== 'seen' && isNowhere(users)) return { ...unseen, account, users };
  const otherVersion = await look(() => readAccount(transport, toRow(toOtherVersion(version))));
  const groups = await surveyGroups(transport);
  const company = {
    users: await sampleCompanyUsers(transport),
    audit: await sampleAudit(transport),
  };
  return { account, otherVersion, users, groups, company };
}

const nothing = skipped('not asked');
/** The survey before any call but the first. */
export const unseen = {
  otherVersion: nothing,
  users: nothing,
  groups: unseenGroups,
  company: { users: nothing, audit: nothing },
} as const;

const reading = { class: 'look' } as const;

function sampleUsers(transport: Transport): Promise<Survey['users']> {
  return sampleList({
    fetch: ({ offset, limit }) =>
      transport.call(scim.getUsers, { query: { startIndex: offset + 1, count: limit } }, reading),
    toPage: parseScimList,
    parse: parseScimUser,
  });
}

function sampleCompanyUsers(transport: Transport): Promise<Survey['company']['users']> {
  return sampleList({
    fetch: (query) => transport.call(companyUsers.getListOfUsers, { query: { ...query } }, reading),
    toPage: parseArrayPage,
    parse: parseCompanyUser,
  });
}

function sampleAudit(transport: Transport): Promise<Survey['company']['audit']> {
  return sampleList({
    fetch: (query) =>
      transport.call(auditLogs.retrieveAuditLogEvents, { query: { ...query } }, reading),
    toPage: parseArrayPage,
    parse: parseAuditEvent,
  });
}

/** SCIM rows stand below the base URL without a version, so a path with the other version can be one. */
function toRow(version: ApiVersion) {
  const path = `/api/${version}/users/current` as const;
  return { ...currentUsers.retrieveCurrentUser, api: 'scim', path } as const;
}

async function readAccount(
  transport: Transport,
  operation: typeof currentUsers.retrieveCurrentUser | ReturnType<typeof toRow>,
): Promise<CompanyUser> {
  return parseCompanyUser(await transport.call(operation, {}, reading));
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
