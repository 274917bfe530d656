import { assertNever } from '../domain/errors.ts';
import { hasMoreBits } from '../domain/mask.ts';
import type { ObservedUser, UserField } from '../domain/user.ts';
import type { UpdateCompanyUser, UserAction } from './actions.ts';

/** Lists the fields of an action that may need a free seat of the service; none: it gives nothing. */
export function listSeatFields(
  action: UserAction,
  observed: ObservedUser | undefined,
): readonly UserField[] {
  switch (action.kind) {
    case 'create-user':
      return ['account'];
    case 'update-user':
      return action.active === true ? ['active'] : [];
    case 'update-company-user':
      return listOfAccess(action, observed);
    case 'look-at-user':
    case 'try-address':
    case 'remove-virtual-user':
      return [];
    default:
      return assertNever(action);
  }
}

/** The end of a suspension, and more of a licence. */
function listOfAccess(
  { appsPermissions = 0, temporarilyInactive, fields }: UpdateCompanyUser,
  observed: ObservedUser | undefined,
): UserField[] {
  const isMore = hasMoreBits(appsPermissions, observed?.appsPermissions ?? 0);
  const isResumed = temporarilyInactive === false;
  return fields.filter((field) => (field === 'appsPermissions' ? isMore : isResumed));
}
