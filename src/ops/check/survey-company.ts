import { auditLogs, companyUsers } from '../../upstream/operations/people.ts';
import { type AuditEvent, parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type ListSample, parseArrayPage, sampleList } from './list-sample.ts';
import { type Look, skipped } from './look.ts';

/** Answers of REST about the company. */
export interface CompanySurvey {
  /** Users with their roles and licences. */
  readonly users: Look<ListSample<CompanyUser>>;
  readonly audit: Look<ListSample<AuditEvent>>;
}

const reading = { class: 'look' } as const;

/** The survey before any call. */
export const unseenCompany: CompanySurvey = {
  users: skipped('not asked'),
  audit: skipped('not asked'),
};

/** Looks at the list of company users and at the audit log. */
export async function surveyCompany(transport: Transport): Promise<CompanySurvey> {
  return {
    users: await sampleList({
      fetch: (query) =>
        transport.call(companyUsers.getListOfUsers, { query: { ...query } }, reading),
      toPage: parseArrayPage,
      parse: parseCompanyUser,
    }),
    audit: await sampleList({
      fetch: (query) =>
        transport.call(auditLogs.retrieveAuditLogEvents, { query: { ...query } }, reading),
      toPage: parseArrayPage,
      parse: parseAuditEvent,
    }),
  };
}
