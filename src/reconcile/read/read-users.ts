import type { ObservedUser } from '../../domain/user.ts';
import { followUsers } from '../../rules/follow.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import {
  type CompanyUser,
  DEACTIVATED_ROLE,
  OWNER_ROLE,
  parseCompanyUser,
} from '../../upstream/shapes/company-user.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import { toObservedUser } from '../user/observe.ts';
import { getStep } from './progress.ts';
import { readList } from './read-list.ts';
import { type SeenAccount, saveUsers } from './save-users.ts';
import { saveService } from './service.ts';
import type { FirstReadContext, StepResult } from './step.ts';

/**
 * Reads roles, licences and suspensions and merges them into the users of the SCIM list. Accounts that only this list
 * shows (placeholders without a mailbox, for instance) become users too: groups may have them as members, and their
 * addresses are taken.
 */
export async function readCompanyUsers(context: FirstReadContext): Promise<StepResult> {
  const { deps, progress } = context;
  const listed = getStep(progress(), 'users');
  return readList(context, {
    operation: companyUsers.getListOfUsers,
    variants: [{}, { query: { for_members_section: true } }],
    knownTotal: listed.state === 'done' ? listed.count : undefined,
    storePage(items, times) {
      const users = items.map(parseCompanyUser);
      const seen = users.map((user) => ({
        upstreamId: user.id,
        observe: (before: ObservedUser | undefined) => observeCompanyUser(user, before, times.now),
      }));
      const companyId = users[0]?.companyId;
      const { identity } = deps;
      const service = { identity, ...(companyId === undefined ? {} : { companyId }) };
      return {
        async rows(tx) {
          await saveService(tx, service, times.now);
          const licensed = await saveUsers(tx, seen, times);
          // A rule that might have taken something from a protected user was left out until now.
          if (!deps.rules.book.isEmpty) await followUsers(tx, deps.rules, licensed, times.now);
        },
      };
    },
  });
}

/**
 * Merges an entry of the list of company users. userName, address, name and `active` come from SCIM, which every later
 * look asks; the rest comes from this list. The role of a deactivated account tells nothing.
 */
export function observeCompanyUser(
  user: CompanyUser,
  before: ObservedUser | undefined,
  at: number,
): ObservedUser {
  const { virtual, appsPermissions, temporarilyInactive, takesLicence, role } = user;
  const by = companyUsers.getListOfUsers.id;
  const {
    userName = user.username,
    email = user.email,
    ...known
  } = before === undefined || before.by === by ? toUnknownToScim(user, by) : before;
  return {
    ...known,
    ...(userName === undefined ? {} : { userName }),
    ...(email === undefined ? {} : { email }),
    ...(role === undefined ? {} : { role, owner: role === OWNER_ROLE }),
    ...(virtual === undefined ? {} : { virtual }),
    ...(appsPermissions === undefined ? {} : { appsPermissions }),
    ...(temporarilyInactive === undefined ? {} : { temporarilyInactive }),
    ...(takesLicence === undefined || !isWorking(user) ? {} : { takesLicence }),
    listedAt: at,
    at,
  };
}

/** True for an account of which the list says what it takes; one that does not work takes nothing. */
function isWorking({ role, temporarilyInactive }: CompanyUser): boolean {
  return role !== DEACTIVATED_ROLE && temporarilyInactive !== true;
}

function toUnknownToScim({ fullName = '', role }: CompanyUser, by: string): ObservedUser {
  return { fullName, active: role !== DEACTIVATED_ROLE, at: 0, by };
}

/** Reads the users: userName, name, address and the active flag. */
export async function readUsers(context: FirstReadContext): Promise<StepResult> {
  return readList(context, {
    operation: scim.getUsers,
    variants: [{}],
    storePage(items, times) {
      const seen = items.map((item) => toSeenAccount(item, times.now));
      return {
        async rows(tx) {
          await saveUsers(tx, seen, times);
        },
      };
    },
  });
}

function toSeenAccount(item: unknown, now: number): SeenAccount {
  const user = parseScimUser(item);
  const seen = { at: now, by: scim.getUsers.id };
  return { upstreamId: user.id, observe: (before) => toObservedUser(user, before, seen) };
}
