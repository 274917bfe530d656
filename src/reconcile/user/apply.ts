import { listWaiting, toEcho } from '../../domain/cell.ts';
import { assertNever } from '../../domain/errors.ts';
import { countAttempts, findFailed, isNameKept } from '../../domain/failure.ts';
import { fullName, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { isNotApplied, NOT_APPLIED, toOwnRefusal } from '../../domain/refusal.ts';
import { removesUserAccess, type UserState } from '../../domain/user.ts';
import type { UserAction, UserActionOf } from '../../plan/actions.ts';
import { toUserChanges } from '../../plan/to-changes.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { lookSurely, toFailure } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import { assertAbout, readBack, readUser } from '../read-back.ts';
import { classify, isRefusal } from '../verdict.ts';
import { adoptFound, createAccount } from './create-account.ts';
import { findCreated } from './find-account.ts';
import { findCompanyUser, toSearchText } from './find-company-user.ts';
import { toObservedAccess, toObservedUser } from './observe.ts';
import { listSeatFields, toSeatWait } from './seats.ts';
import { findActiveHeld, isOnlySwitch, sendUpdate } from './send-update.ts';

/** Makes one call for a user (a creation or a look may take more) and returns the new knowledge. */
export async function applyUserAction(
  deps: ReconcileDeps,
  state: UserState,
  action: UserAction,
): Promise<Outcome> {
  const context = toContext(state, action);
  switch (action.kind) {
    case 'look-at-user':
      return lookAtUser(deps, context, state);
    case 'create-user':
      return createAccount(deps, context, { state, action });
    case 'update-user':
      return updateUser(deps, context, { state, action });
    case 'update-company-user':
      return updateCompanyUser(deps, context, { state, action });
    case 'try-address':
      return tryAddress(deps, context, { state, action });
    case 'remove-virtual-user':
      return removeVirtualUser(deps, context, { state, action });
    default:
      return assertNever(action);
  }
}

/** Puts removals of access before everything else in the budget. */
function toContext(state: UserState, action: UserAction): CallContext {
  const removes = removesUserAccess(state);
  const looks = action.kind === 'look-at-user' && listWaiting(state.cells).length === 0;
  const callClass = removes ? 'remove' : looks ? 'look' : 'change';
  const key = `user:${state.id}`;
  const hasFailed = countAttempts(state.cells) > 0;
  return {
    class: callClass,
    key,
    changes: toUserChanges(action),
    ...(hasFailed && action.kind !== 'look-at-user' && { attemptsMax: 1 }),
  };
}

/** Looks at one user in the service, by the account where it is known. */
export async function lookAtUser(
  deps: ReconcileDeps,
  context: CallContext,
  state: UserState,
): Promise<Outcome> {
  const { upstreamId } = state;
  if (upstreamId === undefined) return lookForAccount(deps, context, state);
  return lookSurely(deps, 'users', async () => {
    const user = await readUser(deps, context, upstreamId);
    const seen = { at: deps.clock.now(), by: scim.getUser.id };
    return { kind: 'done', known: { observed: toObservedUser(user, state.observed, seen) } };
  });
}

/** Looks for the account of a user without one: by the values that creates left with, else by its own. */
async function lookForAccount(
  deps: ReconcileDeps,
  context: CallContext,
  state: UserState,
): Promise<Outcome> {
  const found = await findCreated(deps, context, state);
  const at = deps.clock.now();
  switch (found.kind) {
    case 'found': {
      if (state.sentCreates.length === 0) return adoptFound(deps, context, { user: found.user });
      const { id: upstreamId } = found.user;
      const observed = toObservedUser(found.user, undefined, { at, by: scim.getUsers.id });
      return { kind: 'done', known: { upstreamId, observed, doneFields: ['account'] } };
    }
    case 'not-there': {
      const isWanted = state.desired.active && !state.deleted;
      return { kind: 'done', known: isWanted ? {} : { doneFields: ['account'] } };
    }
    case 'ambiguous': {
      const words = 'several accounts of the service have this userName or address';
      return { kind: 'refused', parts: ['account'], problem: toOwnRefusal(words) };
    }
    case 'could-not-look':
      return { kind: 'later', problem: found.problem };
    default:
      return assertNever(found);
  }
}

async function updateUser(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: UserState; action: UserActionOf<'update-user'> },
): Promise<Outcome> {
  const { upstreamId, active, name } = action;
  const parts = (['active', 'name'] as const).filter((part) => action[part] !== undefined);
  const Operations = parts.map((path) => ({ op: 'replace', path, value: action[path] }));
  try {
    const user = await sendUpdate(deps, context, { upstreamId, Operations });
    const seen = { at: deps.clock.now(), by: scim.updateUser.id };
    const observed = toObservedUser(user, state.observed, seen);
    const [back, before] = [observed.fullName, state.observed?.fullName];
    const ignored = parts.filter((part) =>
      part === 'active'
        ? observed.active !== active
        : name &&
          isNameKept(state.cells.name, {
            sent: fullName(name),
            back,
            before,
            isSame: isSamePersonName,
          }),
    );
    if (ignored.length > 0) return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
    const doneFields = parts.filter((part) => part !== 'active' || isOnlySwitch(deps));
    const echo = name ? toEcho(fullName(name), normaliseName(back)) : {};
    return { kind: 'done', known: { observed, doneFields, ...echo } };
  } catch (error) {
    const classified = classify(error);
    const noSeat = active === true ? (['active'] as const) : [];
    const wait = await toSeatWait(deps, classified, { noSeat, section: 'users' });
    if (wait !== undefined) return wait;
    if (isRefusal(classified) && active !== undefined && name !== undefined) {
      // Access is changed first: the refusal may be about the name alone, which the next step then finds out.
      const { name: _, ...accessOnly } = action;
      return applyUserAction(deps, state, accessOnly);
    }
    const held = isRefusal(classified)
      ? await findActiveHeld(deps, context, { state, action })
      : undefined;
    const about = { parts, section: 'users', missed: state.missed } as const;
    return held ?? toFailure(deps, classified, about);
  }
}

async function updateCompanyUser(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: UserState; action: UserActionOf<'update-company-user'> },
): Promise<Outcome> {
  const { upstreamId, appsPermissions, temporarilyInactive, fields } = action;
  const body = {
    ...(appsPermissions === undefined ? {} : { apps_permissions: appsPermissions }),
    ...(temporarilyInactive === undefined ? {} : { temporarily_inactive: temporarilyInactive }),
  };
  try {
    const args = { path: { id: upstreamId }, body };
    const answer = await deps.upstream.call(companyUsers.updateUser, args, context);
    // Without a body the sent value is taken, because only a search shows it, unless it did not hold before.
    const wasIgnored = fields.some((field) =>
      isNotApplied(findFailed(state.cells[field])?.problem),
    );
    const search = { upstreamId, text: toSearchText(state.observed) };
    const look = async () => (wasIgnored ? findCompanyUser(deps, context, search) : undefined);
    const seen = answer === undefined ? undefined : parseCompanyUser(answer);
    if (seen !== undefined) assertAbout('company user', seen.id, upstreamId);
    const user = await readBack<CompanyUser | undefined>(seen, look);
    const observed = toObservedAccess(state, action, { user, at: deps.clock.now() });
    const ignored = fields.filter((field) =>
      field === 'appsPermissions'
        ? observed.appsPermissions !== appsPermissions
        : observed.temporarilyInactive !== temporarilyInactive,
    );
    if (ignored.length > 0) return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
    return { kind: 'done', known: { observed, doneFields: fields } };
  } catch (error) {
    const classified = classify(error);
    const noSeat = listSeatFields(action, state.observed);
    const wait = await toSeatWait(deps, classified, { noSeat, section: 'companyUsers' });
    if (wait !== undefined) return wait;
    if (
      isRefusal(classified) &&
      appsPermissions !== undefined &&
      temporarilyInactive !== undefined
    ) {
      // Access is changed first: the refusal may be about the licence alone, which the next step then finds out.
      const { appsPermissions: _, ...accessOnly } = action;
      const access = fields.filter((field) => field !== 'appsPermissions');
      return applyUserAction(deps, state, { ...accessOnly, fields: access });
    }
    const about = { parts: fields, section: 'companyUsers', missed: state.missed } as const;
    return toFailure(deps, classified, about);
  }
}

/** Tries once to change userName and address, which stay as created by all knowledge; a refusal is only remembered. */
async function tryAddress(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: UserState; action: UserActionOf<'try-address'> },
): Promise<Outcome> {
  const { upstreamId, userName, address } = action;
  const emails = [{ value: address, type: 'work', primary: true }];
  const Operations = [
    { op: 'replace', path: 'userName', value: userName },
    ...(address === undefined ? [] : [{ op: 'replace', path: 'emails', value: emails }]),
  ];
  try {
    const user = await sendUpdate(deps, context, { upstreamId, Operations });
    const seen = { at: deps.clock.now(), by: scim.updateUser.id };
    const observed = toObservedUser(user, state.observed, seen);
    const taken = observed.userName?.toLowerCase() === userName.toLowerCase();
    await deps.quirks.learn({ addressMayChange: taken });
    return { kind: 'done', known: { observed, doneFields: ['address'] } };
  } catch (error) {
    const classified = classify(error);
    const about = { parts: ['address'], section: 'users', missed: state.missed } as const;
    const failure = await toFailure(deps, classified, about);
    const attempts = (findFailed(state.cells.address)?.attempts ?? 0) + 1;
    // The bridge alone keeps the value where the service fails again and again.
    const isHopeless = failure.kind === 'unknown' && attempts >= deps.policy.attemptsMax;
    if (failure.kind !== 'refused' && !isHopeless) return failure;
    // A failure about one user or one address says nothing of the next.
    if (classified.verdict === 'refused') await deps.quirks.learn({ addressMayChange: false });
    return { kind: 'done', known: { doneFields: ['address'] } };
  }
}

async function removeVirtualUser(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: UserState; action: UserActionOf<'remove-virtual-user'> },
): Promise<Outcome> {
  const { upstreamId } = action;
  const search = { upstreamId, text: toSearchText(state.observed) };
  try {
    await deps.upstream.call(companyUsers.removeVirtualUser, { path: { id: upstreamId } }, context);
    // Once it is removed its account is forgotten, so that no later list would tell that it is still there.
    const shown = await readBack(undefined, () => findCompanyUser(deps, context, search));
    if (shown === undefined) return { kind: 'done', known: { missing: true } };
    return { kind: 'unknown', problem: NOT_APPLIED, parts: ['active'] };
  } catch (error) {
    // "Not there" is looked at before it is believed.
    const about = { parts: ['active'], section: 'companyUsers', missed: state.missed } as const;
    return toFailure(deps, classify(error), about);
  }
}
