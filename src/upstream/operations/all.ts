import { auditLogs } from './audit-logs.ts';
import { companyUsers } from './company-users.ts';
import { groupAdmins } from './group-admins.ts';
import { groupUsers } from './group-users.ts';
import { groups } from './groups.ts';
import type { OperationGroup } from './operation.ts';
import { scim } from './scim.ts';
import { users } from './users.ts';

/** Every operation of the service, by the group that the documents put it in: `scim` first, then by the alphabet. */
export const operationGroups = {
  scim,
  auditLogs,
  companyUsers,
  groupAdmins,
  groupUsers,
  groups,
  users,
} as const satisfies Readonly<Record<string, OperationGroup>>;
