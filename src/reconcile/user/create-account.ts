import { toEcho } from '../../domain/cell.ts';
import { countAttempts } from '../../domain/failure.ts';
import { fullName, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { toOwnRefusal } from '../../domain/refusal.ts';
import { compareAccount, toSentUser, type UserState } from '../../domain/user.ts';
import type { Values } from '../../plan/step.ts';
import { listCreations } from '../../store/audit/own-calls.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Outcome, Problem } from '../outcome.ts';
import type { EmailForm, Quirks } from '../quirks.ts';
import { assertAbout, type StepCall } from '../step-call.ts';
import { type Classified, classify } from '../verdict.ts';
import { lookUpOwner } from './company-user.ts';
import { findAccount, findAccountInList, toAccountNames } from './find-account.ts';
import { observeUser } from './observe.ts';

/** Users in a row after which userName itself is taken to be refused, and not the value of one user. */
const USER_NAMES_REFUSED = 2;

/** One way to write a user into addUser. */
interface CreateForm {
  readonly emailForm: EmailForm;
  readonly withName: boolean;
  readonly withUserName: boolean;
}

/**
 * Creates the account, trying the forms that the contract leaves open until one is taken. Only a 400 or 422 leads to
 * the next form, because it says that nothing was created. The taken form is remembered. @throws UpstreamError
 */
export async function createAccount(call: StepCall<UserState>): Promise<Outcome> {
  const { deps, state, values } = call;
  const forms = listCreateForms(deps.quirks.current(), values, countAttempts(state.cells));
  let refusal: unknown;
  for (const form of forms) {
    try {
      const body = toBody(values, form);
      const created = parseScimUser(await deps.upstream.call(scim.addUser, { body }));
      return await toCreated(call, form, created);
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
): CreateForm[] {
  const userNames = userNamesRefused >= USER_NAMES_REFUSED ? [false] : [true, false];
  const names = nameOnCreate === undefined ? [true, false] : [nameOnCreate];
  // While no form is known, each failure gives the other one its turn: the service may fail at a form instead of refusing it.
  const both: EmailForm[] = attempts % 2 === 0 ? ['strings', 'objects'] : ['objects', 'strings'];
  const emailForms = emailForm ? [emailForm] : both;
  return userNames.flatMap((withUserName) =>
    (name === undefined ? [false] : names).flatMap((withName) =>
      emailForms.map((form) => ({ emailForm: form, withName, withUserName })),
    ),
  );
}

function toBody({ userName, address, name }: Values, form: CreateForm) {
  return {
    ...(form.withUserName ? { userName } : {}),
    emails:
      form.emailForm === 'strings' ? [address] : [{ value: address, type: 'work', primary: true }],
    ...(form.withName && name ? { name } : {}),
  };
}

async function toCreated(
  { deps, state: { desired, observed: before }, values: { name } }: StepCall<UserState>,
  form: CreateForm,
  created: ScimUser,
): Promise<Outcome> {
  assertAbout('SCIM user', compareAccount({ desired, observed: undefined }, created), 'same');
  const sent = form.withName && name ? fullName(name) : undefined;
  const tookName = sent === undefined ? undefined : isSamePersonName(sent, created.fullName);
  await deps.quirks.learn({
    emailForm: form.emailForm,
    ...(tookName === undefined ? {} : { nameOnCreate: tookName }),
    ...toUserNameLesson(deps, form),
  });
  const observed = observeUser(deps, created, before, scim.addUser);
  const echo = sent && tookName ? toEcho(sent, normaliseName(created.fullName)) : {};
  return { kind: 'done', known: { upstreamId: created.id, observed, done: ['account'], ...echo } };
}

/** Counts users in a row who were taken only without their userName. */
function toUserNameLesson({ quirks }: ReconcileDeps, { withUserName }: CreateForm): Quirks {
  const { userNamesRefused = 0 } = quirks.current();
  if (withUserName) return userNamesRefused === 0 ? {} : { userNamesRefused: 0 };
  if (userNamesRefused >= USER_NAMES_REFUSED) return {};
  return { userNamesRefused: userNamesRefused + 1 };
}

/**
 * Resolves "already has access": the account was made since the last look, and is adopted or refused. Where an earlier
 * create may have made it, lists that do not show it yet are no reason to refuse.
 */
export async function resolveConflict(
  { deps, state }: StepCall<UserState>,
  { verdict, problem }: Classified,
): Promise<Outcome | undefined> {
  if (verdict !== 'conflict') return undefined;
  const names = toAccountNames(toSentUser(state.desired));
  const byFilter = await findAccount(deps, names);
  const found = byFilter.kind === 'not-there' ? await findAccountInList(deps, names) : byFilter;
  if (found.kind === 'found') return adoptFound(deps, found.user, problem);
  if (found.kind === 'later') return found;
  const { read } = deps.store;
  const wasMade =
    state.sentCreates.length > 0 || (await listCreations(read, { ids: [state.id], from: 0 }))[0];
  const isOurs = found.kind === 'not-there' && wasMade;
  const conflict = { ...problem, code: 'conflict' };
  return { kind: isOurs ? 'unknown' : 'refused', parts: ['account'], problem: conflict };
}

/** Why the account of an owner is never given to a user by itself, in our words. */
export const OWNER_ACCOUNT =
  'the account in the service is an owner of the company, and is not taken over';

/** Adopts the found account, unless it is privileged or the settings forbid it. */
export async function adoptFound(
  deps: ReconcileDeps,
  user: ScimUser,
  problem?: Problem,
): Promise<Outcome> {
  const obstacle = await findObstacle(deps, user);
  if (typeof obstacle === 'object') return { kind: 'later', problem: obstacle };
  if (obstacle !== undefined) {
    const refusal = { ...problem, ...toOwnRefusal(obstacle) };
    return { kind: 'refused', parts: ['account'], problem: refusal };
  }
  const observed = { ...observeUser(deps, user, undefined, scim.getUsers), owner: false };
  const known = { upstreamId: user.id, observed, adopted: true, done: ['account'] } as const;
  return { kind: 'done', known };
}

/** Why an account is not taken over, in words; a problem: it could not be found out; undefined: it is. */
async function findObstacle(
  deps: ReconcileDeps,
  { id: upstreamId, userName, emails }: ScimUser,
): Promise<string | Problem | undefined> {
  if (deps.policy.adoptUsers !== 'yes')
    return 'the account exists in the service, and is not taken over';
  const account = { upstreamId, names: [userName, ...emails] };
  const { protection } = deps.rules;
  if ((await protection.findAccountPrivilege(deps.store.read, account)) !== undefined) {
    return 'the account in the service is protected, and is not taken over';
  }
  try {
    const search = { upstreamId, text: emails[0] ?? userName };
    return (await lookUpOwner(deps, search)) ? OWNER_ACCOUNT : undefined;
  } catch (error) {
    return classify(error).problem;
  }
}
