import { type Cells, toEcho } from '../../domain/cell.ts';
import { assertNever } from '../../domain/errors.ts';
import { findFailed, isNameKept } from '../../domain/failure.ts';
import { fullName, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { isNotApplied, NOT_APPLIED, toOwnRefusal } from '../../domain/refusal.ts';
import {
  compareAccount,
  removesUserAccess,
  toSentUser,
  type UserState,
} from '../../domain/user.ts';
import { listFields, listParts, toValues } from '../../plan/step.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { lookSurely, toFailure } from '../failure.ts';
import type { Outcome, TooMany } from '../outcome.ts';
import { assertAbout, parseUserOf, readBack, readUser } from '../read-back.ts';
import { makeStep, type StepBasis, type StepCall, type StepMakers } from '../step-call.ts';
import { type Classified, classify, isRefusal } from '../verdict.ts';
import { findCompanyUser, toSearchText } from './company-user.ts';
import { adoptFound, createAccount, resolveConflict } from './create-account.ts';
import { findAccount, findCreated, toAccountNames } from './find-account.ts';
import { toObservedAccess, toObservedUser } from './observe.ts';
import { toSeatWait } from './seats.ts';

type UserCall = StepCall<UserState>;

const MAKERS: StepMakers<UserState> = {
  look: { section: 'users', make: lookForUser },
  create: {
    section: 'users',
    make: createAccount,
    rescue: async (call, failed) =>
      (await toSeatWait(call, failed, 'users')) ??
      (failed.verdict === 'conflict' ? resolveConflict(call, failed) : undefined),
  },
  update: {
    section: 'users',
    make: updateUser,
    rescue: async (call, failed) =>
      (await toSeatWait(call, failed, 'users')) ?? findActiveHeld(call, failed),
  },
  access: {
    section: 'companyUsers',
    make: updateCompanyUser,
    rescue: (call, failed) => toSeatWait(call, failed, 'companyUsers'),
  },
  address: { section: 'users', make: tryAddress, rescue: giveUpAddress },
  remove: { section: 'companyUsers', make: removeVirtualUser },
};

/** Makes one call for a user (a creation or a look may take more) and returns the new knowledge. */
export function applyUserStep(basis: StepBasis<UserState>): Promise<Outcome | TooMany> {
  return makeStep(MAKERS, basis, { type: 'user', removes: removesUserAccess(basis.state) });
}

/**
 * Looks at one user, and where the account is gone, for another one of the same names: the service may have given ids anew,
 * or the person was invited again.
 */
async function lookForUser({ deps, context, state }: UserCall): Promise<Outcome> {
  const outcome = await lookAtUser(deps, context, state);
  if (outcome.kind !== 'done' || !outcome.known.missing) return outcome;
  const found = await findAccount(deps, context, toObservedNames(state));
  if (found.kind === 'could-not-look') return { kind: 'later', problem: found.problem };
  if (found.kind !== 'found' || found.user.id === state.upstreamId) return outcome;
  const { user } = found;
  const isSurely = user.created !== undefined && user.created === state.observed?.created;
  const taken = isSurely ? toFound(deps, user) : await adoptFound(deps, context, user);
  return taken.kind === 'refused' ? outcome : taken;
}

/** Outcome of a look that found an account that is surely the user's. */
function toFound({ clock }: ReconcileDeps, user: ScimUser): Outcome {
  const observed = toObservedUser(user, undefined, { at: clock.now(), by: scim.getUsers.id });
  return { kind: 'done', known: { upstreamId: user.id, observed, done: ['account'] } };
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
    const shown = { observed: toObservedUser(user, state.observed, seen) };
    const likeness = compareAccount(state, user);
    if (likeness !== 'unclear')
      return { kind: 'done', known: likeness === 'same' ? shown : { missing: true } };
    // Either the account was renamed, or the id is another person's now, and the user's account has another one.
    const namesake = await findAccount(deps, context, toObservedNames(state));
    if (namesake.kind === 'could-not-look') return { kind: 'later', problem: namesake.problem };
    return { kind: 'done', known: namesake.kind === 'not-there' ? shown : { missing: true } };
  });
}

/** Names of the account as it was seen last. */
function toObservedNames({ desired, observed }: UserState) {
  const { userName = desired.userName, email = desired.address } = observed ?? {};
  return toAccountNames(toSentUser({ userName, address: email }));
}

/** Looks for the account of a user without one: by the values that creates left with, else by its own. */
async function lookForAccount(
  deps: ReconcileDeps,
  context: CallContext,
  state: UserState,
): Promise<Outcome> {
  const found = await findCreated(deps, context, state);
  switch (found.kind) {
    case 'found':
      return state.sentCreates.length === 0
        ? adoptFound(deps, context, found.user)
        : toFound(deps, found.user);
    case 'not-there': {
      const isWanted = state.desired.active && !state.deleted;
      return { kind: 'done', known: isWanted ? {} : { done: ['account'] } };
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

/** The account that a step changes. */
function getAccount({ upstreamId }: UserState): number {
  if (upstreamId === undefined) throw new TypeError('a step changes no account');
  return upstreamId;
}

/** Changes a user through SCIM, and reads the result. @throws UpstreamError, also where the account may be another's by now */
async function sendUpdate(
  { deps: { upstream }, context, state }: UserCall,
  Operations: readonly object[],
): Promise<ScimUser> {
  const upstreamId = getAccount(state);
  const path = { user_id: upstreamId };
  const body = { Operations: [...Operations] };
  const answer = await upstream.call(scim.updateUser, { path, body }, context);
  const look = () => upstream.call(scim.getUser, { path }, context);
  const user = parseUserOf(upstreamId, await readBack<unknown>(answer, look));
  assertAbout('SCIM user', compareAccount(state, user), 'same');
  return user;
}

async function updateUser(call: UserCall): Promise<Outcome> {
  const { deps, state, step } = call;
  const { active, name } = toValues(step);
  const fields = listFields(listParts(step));
  const values = { active, name };
  const parts = (['active', 'name'] as const).filter((part) => fields.includes(part));
  const user = await sendUpdate(
    call,
    parts.map((path) => ({ op: 'replace', path, value: values[path] })),
  );
  const seen = { at: deps.clock.now(), by: scim.updateUser.id };
  const observed = toObservedUser(user, state.observed, seen);
  const sent = name && fullName(name);
  const [back, before] = [observed.fullName, state.observed?.fullName];
  const isSame = isSamePersonName;
  const ignored = parts.filter((part) =>
    part === 'active'
      ? observed.active !== active
      : sent && isNameKept(state.cells.name, { sent, back, before, isSame }),
  );
  if (ignored.length > 0) return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
  const done = parts.filter((part) => part !== 'active' || isOnlySwitch(deps));
  const echo = sent ? toEcho(sent, normaliseName(back)) : {};
  return { kind: 'done', known: { observed, done, ...echo } };
}

/** True when SCIM alone lets somebody in; where suspending deactivates, it is one of two switches. */
function isOnlySwitch({ policy }: ReconcileDeps): boolean {
  return policy.deactivation === 'scim';
}

/**
 * Looks whether a refused change of access holds already: somebody else made it, and the service does not repeat it.
 * Undefined where it does not hold, or cannot be seen; then the refusal stands.
 */
async function findActiveHeld(
  { deps, context, state, step }: UserCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const { active, name } = toValues(step);
  if (!isRefusal(failed) || active === undefined || name !== undefined) return undefined;
  try {
    const user = await readUser(deps, context, getAccount(state));
    if (compareAccount(state, user) !== 'same')
      return { kind: 'unknown', problem: failed.problem, lookNow: true };
    if (user.active !== active) return undefined;
    const seen = { at: deps.clock.now(), by: scim.getUser.id };
    const observed = toObservedUser(user, state.observed, seen);
    return { kind: 'done', known: { observed, done: isOnlySwitch(deps) ? ['active'] : [] } };
  } catch (error) {
    classify(error);
    return undefined;
  }
}

async function updateCompanyUser(call: UserCall): Promise<Outcome> {
  const { deps, context, state, step } = call;
  const upstreamId = getAccount(state);
  const cells: Cells<string> = state.cells;
  const fields = listFields(listParts(step));
  const { appsPermissions, temporarilyInactive } = toValues(step);
  const body = {
    ...(appsPermissions === undefined ? {} : { apps_permissions: appsPermissions }),
    ...(temporarilyInactive === undefined ? {} : { temporarily_inactive: temporarilyInactive }),
  };
  const args = { path: { id: upstreamId }, body };
  const answer = await deps.upstream.call(companyUsers.updateUser, args, context);
  const seen = answer === undefined ? undefined : parseCompanyUser(answer);
  if (seen !== undefined) assertAbout('company user', seen.id, upstreamId);
  // Without a body the sent value is taken, because only a search shows it, unless it did not hold before.
  const wasIgnored = fields.some((field) => isNotApplied(findFailed(cells[field])?.problem));
  const user = seen ?? (wasIgnored ? await findAgain(call) : undefined);
  const at = deps.clock.now();
  const observed = toObservedAccess(state, { appsPermissions, temporarilyInactive }, { user, at });
  const ignored = fields.filter((field) =>
    field === 'appsPermissions'
      ? observed.appsPermissions !== appsPermissions
      : observed.temporarilyInactive !== temporarilyInactive,
  );
  if (ignored.length > 0) return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
  return { kind: 'done', known: { observed, done: fields } };
}

/** Finds the company user after a call whose answer does not show it. @throws UpstreamError, which says that the effect is unknown */
function findAgain({ deps, context, state }: UserCall) {
  const search = { upstreamId: getAccount(state), text: toSearchText(state.observed) };
  return readBack(undefined, () => findCompanyUser(deps, context, search));
}

/** Tries once to change userName and address, which stay as created by all knowledge; a refusal is only remembered. */
async function tryAddress(call: UserCall): Promise<Outcome> {
  const { deps, state, step } = call;
  const { userName = '', address } = toValues(step);
  const emails = [{ value: address, type: 'work', primary: true }];
  const user = await sendUpdate(call, [
    { op: 'replace', path: 'userName', value: userName },
    ...(address === undefined ? [] : [{ op: 'replace', path: 'emails', value: emails }]),
  ]);
  const seen = { at: deps.clock.now(), by: scim.updateUser.id };
  const observed = toObservedUser(user, state.observed, seen);
  const isTaken = observed.userName?.toLowerCase() === userName.toLowerCase();
  await deps.quirks.learn({ addressMayChange: isTaken });
  return { kind: 'done', known: { observed, done: ['address'] } };
}

/** Gives a refused address up, and one at which the service fails again and again: the bridge alone keeps the value. */
async function giveUpAddress(
  { deps, state, missed }: UserCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const about = { parts: ['address'], section: 'users', missed } as const;
  const failure = await toFailure(deps, failed, about);
  const attempts = (findFailed(state.cells.address)?.attempts ?? 0) + 1;
  const isHopeless = failure.kind === 'unknown' && attempts >= deps.policy.attemptsMax;
  if (failure.kind !== 'refused' && !isHopeless) return failure;
  // A failure about one user or one address says nothing of the next.
  if (failed.verdict === 'refused') await deps.quirks.learn({ addressMayChange: false });
  return { kind: 'done', known: { done: ['address'] } };
}

async function removeVirtualUser(call: UserCall): Promise<Outcome> {
  const { deps, context, state } = call;
  const args = { path: { id: getAccount(state) } };
  await deps.upstream.call(companyUsers.removeVirtualUser, args, context);
  // Once it is removed its account is forgotten, so that no later list would tell that it is still there.
  const shown = await findAgain(call);
  if (shown === undefined) return { kind: 'done', known: { missing: true } };
  return { kind: 'unknown', problem: NOT_APPLIED, parts: ['active'] };
}
