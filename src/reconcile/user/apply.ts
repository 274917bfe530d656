import { askAgain, type Cells, toEcho } from '../../domain/cell.ts';
import { findFailed } from '../../domain/failure.ts';
import {
  compareAccount,
  type ObservedUser,
  type ShownAccount,
  toSentUser,
  type UserState,
} from '../../domain/kinds.ts';
import { hasMoreBits } from '../../domain/mask.ts';
import { fullName, isNameKept, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { removesUserAccess } from '../../domain/protection.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import { foldCase, isNotApplied, toOwnRefusal } from '../../domain/values.ts';
import type { Field, PlannedFact } from '../../plan/step.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { listHolders } from '../../store/resources/find.ts';
import { lockRow, updateRow } from '../../store/resources/rows.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { toLookAgainColumns } from '../differences.ts';
import { type Classified, isRefusal, type Outcome, seenOr } from '../outcome.ts';
import { isSectionUp, lookSurely, type ReadableSection, toFailure, toLater } from '../sections.ts';
import {
  assertAbout,
  parseUserOf,
  readBack,
  readUser,
  type StepCall,
  type StepMakers,
  toTaken,
} from '../step-call.ts';
import {
  adoptFound,
  createAccount,
  findAccount,
  findCreated,
  resolveConflict,
  toAccountNames,
} from './create-account.ts';
import { findCompanyUser, observeUser, toObservedAccess } from './observe.ts';

type UserCall = StepCall<UserState>;

/** The steps of a user: one call each, but for a creation or a look. */
export const USER_STEPS: StepMakers<UserState> = {
  type: 'user',
  removes: removesUserAccess,
  rescue: findSeatWait,
  steps: {
    look: { section: 'users', make: lookForUser },
    create: { section: 'users', make: createAccount, rescue: resolveConflict },
    update: { section: 'users', make: updateUser, rescue: findActiveHeld },
    access: { section: 'companyUsers', make: updateCompanyUser },
    address: { section: 'users', make: tryAddress, rescue: giveUpAddress },
    remove: { section: 'companyUsers', make: removeVirtualUser },
  },
};

/** Looks at one user; where the account is gone, at one of the same names: ids may be new, or the person was invited again. */
async function lookForUser({ deps, state }: UserCall): Promise<Outcome> {
  const outcome = await lookAtUser(deps, state);
  if (outcome.kind !== 'done' || !outcome.known.missing) return outcome;
  const found = await findAccount(deps, toObservedNames(state));
  if (found.kind === 'later') return found;
  if (found.kind !== 'found' || found.user.id === state.upstreamId) return outcome;
  const { user } = found;
  const isSurely = user.created !== undefined && user.created === state.observed?.created;
  const taken = isSurely ? toFound(deps, user) : await adoptFound(deps, user);
  return taken.kind === 'refused' ? outcome : taken;
}

function toFound(deps: ReconcileDeps, user: ScimUser): Outcome {
  const observed = observeUser(deps, user, undefined, scim.getUsers);
  return { kind: 'done', known: { ids: { restId: user.id }, observed, done: ['account'] } };
}

/** Looks at one user in the service, by the account where it is known. */
export async function lookAtUser(deps: ReconcileDeps, state: UserState): Promise<Outcome> {
  const { upstreamId } = state;
  if (upstreamId === undefined) return lookForAccount(deps, state);
  return lookSurely(deps, 'users', async () => {
    const user = await readUser(deps, upstreamId);
    const shown = { observed: observeUser(deps, user, state.observed, scim.getUser) };
    const likeness = compareAccount(state, user);
    if (likeness === 'same') return { kind: 'done', known: shown };
    if (likeness === 'another') return { kind: 'done', known: { missing: true } };
    // Either the account was renamed, or the id is another person's now, and the user's account has another one.
    const namesake = await findAccount(deps, toObservedNames(state));
    if (namesake.kind === 'later') return namesake;
    return { kind: 'done', known: namesake.kind === 'not-there' ? shown : { missing: true } };
  });
}

/** Names of the account as it was seen last. */
function toObservedNames({ desired, observed }: UserState) {
  const { userName = desired.userName, email = desired.address } = observed ?? {};
  return toAccountNames(toSentUser({ userName, address: email }));
}

/** Looks for the account of a user without one: by the values that creates left with, else by its own. */
async function lookForAccount(deps: ReconcileDeps, state: UserState): Promise<Outcome> {
  const found = await findCreated(deps, state);
  if (found.kind === 'later') return found;
  if (found.kind === 'found') {
    const isMade = state.sentCreates.length > 0;
    return isMade ? toFound(deps, found.user) : adoptFound(deps, found.user);
  }
  if (found.kind === 'ambiguous') {
    const words = 'several accounts of the service have this userName or address';
    return { kind: 'refused', parts: ['account'], problem: toOwnRefusal(words) };
  }
  const isWanted = state.desired.active && !state.deleted;
  return { kind: 'done', known: isWanted ? {} : { done: ['account'] } };
}

function getAccount({ upstreamId }: UserState): number {
  if (upstreamId === undefined) throw new TypeError('a step changes no account');
  return upstreamId;
}

/** Changes a user through SCIM, and reads the result. @throws UpstreamError, also where the account may be another's by now */
async function sendUpdate(call: UserCall, Operations: object[]): Promise<ObservedUser> {
  const { deps, state } = call;
  const upstreamId = getAccount(state);
  const args = { path: { user_id: upstreamId }, body: { Operations } };
  const answer = await deps.upstream.call(scim.updateUser, args);
  const seen = answer === undefined ? undefined : parseUserOf(upstreamId, answer);
  const user = await readBack(seen, () => readUser(deps, upstreamId));
  await bringBack(call, user);
  assertAbout('SCIM user', compareAccount(state, user), 'same');
  return observeUser(deps, user, state.observed, scim.updateUser);
}

/** Has other managed people looked at whom a call met under an id given anew: what it changed is brought back. */
async function bringBack({ deps, state, fields }: UserCall, shown: ShownAccount): Promise<boolean> {
  if (compareAccount(state, shown) === 'same') return false;
  const names = [shown.userName, ...shown.emails].flatMap((name) => (name ? [foldCase(name)] : []));
  return deps.store.write(async (tx) => {
    const met = (await listHolders(tx, names, names[0])).filter(({ origin }) => origin !== null);
    for (const key of met) {
      const row = await lockRow(tx, key);
      if (row === undefined) continue;
      const cells = JSON.stringify(askAgain(parseCells<Field>(row), fields, row.version));
      await updateRow(tx, row, { ...toLookAgainColumns(row, deps.clock.now()), cells });
    }
    return met.length > 0;
  });
}

async function updateUser(call: UserCall): Promise<Outcome> {
  const { deps, state, fields, values } = call;
  const { active, name } = values;
  const parts = (['active', 'name'] as const).filter((part) => fields.includes(part));
  const sent = parts.map((path) => ({ op: 'replace', path, value: values[path] }));
  const observed = await sendUpdate(call, sent);
  const [before, back] = [state.observed?.fullName, observed.fullName];
  const isKept =
    name !== undefined && isNameKept(before, { sent: fullName(name), back }, isSamePersonName);
  const done = parts.filter((part) => part !== 'active' || isOnlySwitch(deps));
  const echo = name ? toEcho(fullName(name), normaliseName(back)) : {};
  return toTaken(parts, (part) => (part === 'active' ? observed.active === active : !isKept), {
    observed,
    done,
    ...echo,
  });
}

/** True when SCIM alone lets somebody in; where suspending deactivates, it is one of two switches. */
function isOnlySwitch({ policy }: ReconcileDeps): boolean {
  return policy.deactivation === 'scim';
}

/** Finds out whether a refused change of access holds already, because others made it; undefined: the refusal stands. */
async function findActiveHeld(
  { deps, state, values: { active, name } }: UserCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  if (!isRefusal(failed) || active === undefined || name !== undefined) return undefined;
  const user = await seenOr(readUser(deps, getAccount(state)), undefined);
  if (user === undefined) return undefined;
  if (compareAccount(state, user) !== 'same')
    return { kind: 'unknown', problem: failed.problem, lookNow: true };
  if (user.active !== active) return undefined;
  const observed = observeUser(deps, user, state.observed, scim.getUser);
  return { kind: 'done', known: { observed, done: isOnlySwitch(deps) ? ['active'] : [] } };
}

async function updateCompanyUser(call: UserCall): Promise<Outcome> {
  const { deps, state, fields, values } = call;
  const id = getAccount(state);
  const cells: Cells<string> = state.cells;
  const { appsPermissions: apps_permissions, temporarilyInactive: temporarily_inactive } = values;
  const args = { path: { id }, body: { apps_permissions, temporarily_inactive } };
  const answer = await deps.upstream.call(companyUsers.updateUser, args);
  const seen = answer === undefined ? undefined : parseCompanyUser(answer);
  const isOther = seen !== undefined && (await bringBack(call, { emails: [seen.email] }));
  if (seen !== undefined) assertAbout('company user', isOther ? (seen.email ?? '') : seen.id, id);
  // Without a body the sent value is taken, because only a search shows it, unless it did not hold before.
  const wasIgnored = fields.some((field) => isNotApplied(findFailed(cells[field])?.problem));
  const user = seen ?? (wasIgnored ? await findAgain(call) : undefined);
  const observed = toObservedAccess(state, values, { user, at: deps.clock.now() });
  const isMade = (field: Field) => {
    const value = field === 'appsPermissions' ? field : 'temporarilyInactive';
    return observed[value] === values[value];
  };
  return toTaken(fields, isMade, { observed, done: fields });
}

/** Finds the company user after a call whose answer does not show it. @throws UpstreamError, which says that the effect is unknown */
function findAgain({ deps, state }: UserCall) {
  return readBack(undefined, () => findCompanyUser(deps, getAccount(state), state.observed));
}

/** Tries once to change userName and address, which stay as created by all knowledge; a refusal is only remembered. */
async function tryAddress(call: UserCall): Promise<Outcome> {
  const { userName = '', address } = call.values;
  const emails = [{ value: address, type: 'work', primary: true }];
  const observed = await sendUpdate(call, [
    { op: 'replace', path: 'userName', value: userName },
    ...(address === undefined ? [] : [{ op: 'replace', path: 'emails', value: emails }]),
  ]);
  const isTaken = observed.userName?.toLowerCase() === userName.toLowerCase();
  await call.deps.quirks.learn({ addressMayChange: isTaken });
  return { kind: 'done', known: { observed, done: ['address'] } };
}

/** Gives a refused address up, and one at which the service fails again and again: the bridge alone keeps the value. */
async function giveUpAddress(
  { deps, state, missed }: UserCall,
  failed: Classified,
  section: ReadableSection,
): Promise<Outcome> {
  const failure = await toFailure(deps, failed, { parts: ['address'], section, missed });
  const attempts = (findFailed(state.cells.address)?.attempts ?? 0) + 1;
  const isHopeless = failure.kind === 'unknown' && attempts >= deps.policy.attemptsMax;
  if (failure.kind !== 'refused' && !isHopeless) return failure;
  // A failure about one user or one address says nothing of the next.
  if (failed.verdict === 'refused') await deps.quirks.learn({ addressMayChange: false });
  return { kind: 'done', known: { done: ['address'] } };
}

async function removeVirtualUser(call: UserCall): Promise<Outcome> {
  const { deps, state } = call;
  const args = { path: { id: getAccount(state) } };
  await deps.upstream.call(companyUsers.removeVirtualUser, args);
  // Once it is removed its account is forgotten, so that no later list would tell that it is still there.
  const shown = await findAgain(call);
  return toTaken(['active'], () => shown === undefined, { missing: true });
}

/** Outcome of a call that the service refused for lack of seats; undefined: that was not the reason. */
async function findSeatWait(
  { deps, state, step }: UserCall,
  failed: Classified,
  section: ReadableSection,
): Promise<Outcome | undefined> {
  const { verdict, problem } = failed;
  const noSeat = step.facts.filter((fact) => takesSeat(fact, state.observed));
  if (noSeat.length === 0 || !(isRefusal(failed) || verdict === 'forbidden')) return undefined;
  if (!deps.policy.isSeatRefusal(problem)) return undefined;
  // A section that is closed as a whole refuses in the same way.
  const isClosed = verdict === 'forbidden' && !(await isSectionUp(deps, section, problem));
  if (isClosed) return toLater(failed);
  const parts = noSeat.map(({ part }) => part);
  return { kind: 'later', problem: { ...problem, code: NO_SEAT }, noSeat: parts };
}

/** True for a change that takes a seat: a new account, an activation, the end of a suspension, more of a licence. */
function takesSeat({ part, values = {} }: PlannedFact, observed: ObservedUser | undefined) {
  const { active, temporarilyInactive, appsPermissions = 0 } = values;
  if (part === 'account' || active === true || temporarilyInactive === false) return true;
  return hasMoreBits(appsPermissions, observed?.appsPermissions ?? 0);
}
