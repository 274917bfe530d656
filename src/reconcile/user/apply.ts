import { askAgain, toEcho } from '../../domain/cell.ts';
import { countAttempts, findFailed } from '../../domain/failure.ts';
import type { ObservedUser, ShownAccount, UserState } from '../../domain/kinds.ts';
import { compareAccount } from '../../domain/kinds.ts';
import { fullName, isNameKept, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import { foldCase, hasMoreBits, isNotApplied, parseKnown } from '../../domain/values.ts';
import type { Field, PlannedFact, Values } from '../../plan/step.ts';
import { listHolders } from '../../store/resources/find.ts';
import { lockRow, updateRow } from '../../store/resources/rows.ts';
import { companyUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import type { ScimUser } from '../../upstream/shapes/scim-user.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import type { Quirks } from '../deps.ts';
import { toLookAgainColumns } from '../differences.ts';
import type { Classified, Outcome } from '../outcome.ts';
import { classify, isRefusal } from '../outcome.ts';
import { isSectionUp, toFailure, toLater } from '../sections.ts';
import type { StepCall, StepMakers } from '../step-call.ts';
import { assertAbout, parseUserOf, readBack, readUser, toTaken } from '../step-call.ts';
import {
  findCompanyUser,
  lookForUser,
  observeCompanyUser,
  observeUser,
  resolveConflict,
} from './account.ts';

type UserCall = StepCall<UserState>;

/** The steps of a user: one call each, but for a creation or a look. */
export const USER_STEPS: StepMakers<UserState> = {
  look: { section: 'users', make: lookForUser },
  create: { section: 'users', make: createAccount, rescue: explainCreate },
  update: { section: 'users', make: updateUser, rescue: findSeatWait },
  access: { section: 'companyUsers', make: updateCompanyUser, rescue: findSeatWait },
  address: { section: 'users', make: updateUser, rescue: giveUpAddress },
  remove: { section: 'companyUsers', make: removeVirtualUser },
};

/** Users in a row after which userName itself is taken to be refused, and not the value of one user. */
const USER_NAMES_REFUSED = 2;

type CreateForm = ReturnType<typeof listCreateForms>[number];

/** Creates the account in the first form that is taken; a 400 or 422 says that nothing was created. @throws UpstreamError */
async function createAccount(call: StepCall<UserState>): Promise<Outcome> {
  const { deps, state, values } = call;
  const forms = listCreateForms(deps.quirks.current(), values, countAttempts(state.cells));
  let refusal: unknown;
  for (const form of forms) {
    try {
      const answer = await deps.upstream.call(scim.addUser, { body: toBody(values, form) });
      return await toCreated(call, form, parseScimUser(answer));
    } catch (error) {
      const { verdict, problem } = classify(error);
      if (verdict !== 'refused' || deps.policy.isSeatRefusal(problem)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Lists the forms to be tried, known ones first; without a name or a new userName fewer vary. */
function listCreateForms(
  { emailForm, nameOnCreate, userNamesRefused = 0 }: Quirks,
  { name }: Values,
  attempts: number,
) {
  const userNames = userNamesRefused >= USER_NAMES_REFUSED ? [false] : [true, false];
  const ofName = nameOnCreate === undefined ? [true, false] : [nameOnCreate];
  const names = name === undefined ? [false] : ofName;
  // While no form is known, each failure gives the other one its turn: the service may fail at a form instead of refusing it.
  const both = ['strings', 'objects'] as const;
  const inTurn = attempts % 2 === 0 ? both : both.toReversed();
  const emailForms = emailForm ? [emailForm] : inTurn;
  return userNames.flatMap((withUserName) =>
    names.flatMap((withName) =>
      emailForms.map((form) => ({ emailForm: form, withName, withUserName })),
    ),
  );
}

function toBody({ userName, address, name }: Values, form: CreateForm) {
  const email = form.emailForm === 'strings' ? address : toWorkEmail(address);
  return {
    userName: form.withUserName ? userName : undefined,
    emails: [email],
    name: form.withName ? name : undefined,
  };
}

const toWorkEmail = (value: string | undefined) => ({ value, type: 'work', primary: true });

async function toCreated(
  { deps, state: { desired, observed: before }, values: { name } }: StepCall<UserState>,
  form: CreateForm,
  created: ScimUser,
): Promise<Outcome> {
  assertAbout('SCIM user', compareAccount({ desired, observed: null }, created), 'same');
  const sent = form.withName && name ? fullName(name) : undefined;
  const tookName = sent === undefined ? undefined : isSamePersonName(sent, created.fullName);
  const { userNamesRefused = 0 } = deps.quirks.current();
  await deps.quirks.learn({
    emailForm: form.emailForm,
    ...parseKnown({ nameOnCreate: tookName }),
    userNamesRefused: form.withUserName ? 0 : Math.min(userNamesRefused + 1, USER_NAMES_REFUSED),
  });
  const observed = observeUser(created, before, { at: deps.clock.now(), by: scim.addUser.id });
  const echo = sent && tookName ? toEcho(sent, normaliseName(created.fullName)) : {};
  const ids = { upstream_id: created.id };
  return { kind: 'done', known: { ids, observed, done: ['account'], ...echo } };
}

/** The account that a step changes, as it was last seen. */
function getAccount({ upstream_id: id, observed: before }: UserState) {
  if (id === null || before === null) throw new TypeError('a step changes no account');
  return { id, before };
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
      const cells = askAgain(row.cells, fields, row.version);
      await updateRow(tx, row, { ...toLookAgainColumns(row, deps.clock.now()), cells });
    }
    return met.length > 0;
  });
}

/** Changes a user through SCIM. By all knowledge userName and address stay as created: that is tried, and remembered. */
async function updateUser(call: UserCall): Promise<Outcome> {
  const { deps, state, fields, values } = call;
  const { id, before } = getAccount(state);
  const args = { path: { user_id: id }, body: { Operations: toOperations(values) } };
  const answer = await deps.upstream.call(scim.updateUser, args);
  const user =
    answer === undefined ? await readBack(() => readUser(deps, id)) : parseUserOf(id, answer);
  await bringBack(call, user);
  assertAbout('SCIM user', compareAccount(state, user), 'same');
  const observed = observeUser(user, before, { at: deps.clock.now(), by: scim.updateUser.id });
  const { active, name, userName } = values;
  if (userName !== undefined) {
    const isTaken = foldCase(observed.userName ?? '') === foldCase(userName);
    await deps.quirks.learn({ addressMayChange: isTaken });
  }
  const [sent, back] = [name && fullName(name), observed.fullName];
  const isKept = sent && isNameKept(before.fullName, { sent, back }, isSamePersonName);
  const echo = sent ? toEcho(sent, normaliseName(back)) : {};
  const isMade = (field: Field) =>
    field === 'active' ? observed.active === active : field !== 'name' || !isKept;
  // Where suspending deactivates, SCIM holds one of two switches.
  const isOnlySwitch = deps.policy.deactivation === 'scim';
  const done = fields.filter((field) => field !== 'active' || isOnlySwitch);
  return toTaken(fields, isMade, { observed, done, ...echo });
}

function toOperations({ active, name, userName, address: value }: Values): object[] {
  const emails = value === undefined ? undefined : [toWorkEmail(value)];
  const wanted = parseKnown({ active, name, userName, emails });
  return Object.entries(wanted).map(([path, to]) => ({ op: 'replace', path, value: to }));
}

async function updateCompanyUser(call: UserCall): Promise<Outcome> {
  const { deps, state, fields, values } = call;
  const { id, before } = getAccount(state);
  const { cells } = state;
  const { appsPermissions, temporarilyInactive } = values;
  const body = { apps_permissions: appsPermissions, temporarily_inactive: temporarilyInactive };
  const answer = await deps.upstream.call(companyUsers.updateUser, { path: { id }, body });
  const seen = answer === undefined ? undefined : parseCompanyUser(answer);
  const isOther = seen !== undefined && (await bringBack(call, { emails: [seen.email] }));
  if (seen !== undefined) assertAbout('company user', isOther ? (seen.email ?? '') : seen.id, id);
  // Without a body the sent value is taken, because only a search shows it, unless it did not hold before.
  const wasIgnored = fields.some((field) => isNotApplied(findFailed(cells[field])?.problem));
  const user = seen ?? (wasIgnored ? await findAgain(call) : undefined);
  const at = deps.clock.now();
  const { takesLicence, ...known } = before;
  // Another licence may be one that takes no place.
  const kept = appsPermissions === undefined ? takesLicence : undefined;
  const news = parseKnown({ appsPermissions, temporarilyInactive, takesLicence: kept });
  const sent = { ...known, ...news };
  const shown = user === undefined ? sent : observeCompanyUser(user, sent, at);
  const observed = { ...shown, at, by: companyUsers.updateUser.id };
  const isMade = (field: Field) => {
    const value = field === 'appsPermissions' ? field : 'temporarilyInactive';
    return observed[value] === values[value];
  };
  return toTaken(fields, isMade, { observed, done: fields });
}

/** Finds the company user after a call whose answer does not show it. @throws UpstreamError, which says that the effect is unknown */
function findAgain({ deps, state }: UserCall) {
  const { id, before } = getAccount(state);
  return readBack(() => findCompanyUser(deps, id, before));
}

/** Gives a refused address up: the bridge alone keeps the value. */
async function giveUpAddress(
  { deps, missed, section }: UserCall,
  failed: Classified,
): Promise<Outcome> {
  const failure = await toFailure(deps, failed, { parts: ['address'], section, missed });
  if (failure.kind !== 'refused') return failure;
  // A failure about one user or one address says nothing of the next.
  if (failed.verdict === 'refused') await deps.quirks.learn({ addressMayChange: false });
  return { kind: 'done', known: { done: ['address'] } };
}

async function removeVirtualUser(call: UserCall): Promise<Outcome> {
  const { deps, state } = call;
  const { id } = getAccount(state);
  await deps.upstream.call(companyUsers.removeVirtualUser, { path: { id } });
  // Once it is removed its account is forgotten, so that no later list would tell that it is still there.
  const shown = await findAgain(call);
  return toTaken(['active'], () => shown === undefined, { missing: true });
}

async function explainCreate(call: UserCall, failed: Classified) {
  return (await findSeatWait(call, failed)) ?? resolveConflict(call, failed);
}

/** Outcome of a call that the service refused for lack of seats; undefined: that was not the reason. */
async function findSeatWait(
  { deps, state, step, section }: UserCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const { verdict, problem } = failed;
  const noSeat = step.facts.filter((fact) => takesSeat(fact, state.observed));
  if (noSeat.length === 0 || !(isRefusal(failed) || verdict === 'forbidden')) return undefined;
  if (!deps.policy.isSeatRefusal(problem)) return undefined;
  // A section that is closed as a whole refuses in the same way.
  const isClosed = verdict === 'forbidden' && !(await isSectionUp(deps, section, problem));
  if (isClosed) return toLater(failed);
  const parts = noSeat.map(({ part }) => part);
  return { kind: 'later', problem: { ...problem, code: NO_SEAT }, parts };
}

/** True for a change that takes a seat: a new account, an activation, the end of a suspension, more of a licence. */
function takesSeat({ part, values = {} }: PlannedFact, observed: ObservedUser | null) {
  const { active, temporarilyInactive, appsPermissions = 0 } = values;
  if (part === 'account' || active === true || temporarilyInactive === false) return true;
  return hasMoreBits(appsPermissions, observed?.appsPermissions ?? 0);
}
