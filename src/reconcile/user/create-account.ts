import { toEcho } from '../../domain/cell.ts';
import { countAttempts } from '../../domain/failure.ts';
import { fullName, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { toOwnRefusal } from '../../domain/refusal.ts';
import { toSentUser, type UserState } from '../../domain/user.ts';
import type { UserActionOf } from '../../plan/actions.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toCreateFailure } from '../failure.ts';
import type { Outcome, Problem } from '../outcome.ts';
import type { EmailForm, Quirks } from '../quirks.ts';
import { classify } from '../verdict.ts';
import { findAccount, findAccountInList, toAccountKeys } from './find-account.ts';
import { toObservedUser } from './observe.ts';
import { lookUpOwner } from './read-role.ts';
import { toSeatWait } from './seats.ts';

/** Users in a row after which userName itself is taken to be refused, and not the value of one user. */
const USER_NAMES_REFUSED = 2;

interface Creation {
  readonly state: UserState;
  readonly action: UserActionOf<'create-user'>;
}

/** One way to write a user into addUser. */
interface CreateForm {
  readonly emailForm: EmailForm;
  readonly withName: boolean;
  readonly withUserName: boolean;
}

/**
 * Creates the account, trying the forms that the contract leaves open until one is taken. Only a 400 or 422 leads to
 * the next form, because it says that nothing was created. The taken form is remembered.
 */
export async function createAccount(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: Creation,
): Promise<Outcome> {
  let problem: Problem = { code: 'refused', words: 'no form of the request was taken' };
  const attempts = countAttempts(state.cells);
  for (const form of listCreateForms(deps.quirks.current(), { action, attempts })) {
    try {
      const body = toBody(action, form);
      const created = parseScimUser(await deps.upstream.call(scim.addUser, { body }, context));
      return await toCreated(deps, { state, action, form, created });
    } catch (error) {
      const classified = classify(error);
      problem = classified.problem;
      const wait = await toSeatWait(deps, classified, NEEDS_SEAT);
      if (wait !== undefined) return wait;
      if (classified.verdict === 'conflict')
        return resolveConflict(deps, context, { state, problem });
      if (classified.verdict !== 'refused') return toCreateFailure(deps, classified, ABOUT_ACCOUNT);
    }
  }
  return { kind: 'refused', parts: ['account'], problem };
}

const ABOUT_ACCOUNT = { parts: ['account'], section: 'users' } as const;

const NEEDS_SEAT = { noSeat: ABOUT_ACCOUNT.parts, section: ABOUT_ACCOUNT.section };

/** Lists the forms to be tried, known ones first; without a name or a new userName fewer vary. */
function listCreateForms(
  quirks: Quirks,
  { action, attempts }: { readonly action: UserActionOf<'create-user'>; readonly attempts: number },
): CreateForm[] {
  const emailForms = quirks.emailForm ? [quirks.emailForm] : orderEmailForms(attempts);
  const nameForms =
    action.name === undefined
      ? [false]
      : quirks.nameOnCreate === undefined
        ? [true, false]
        : [quirks.nameOnCreate];
  const list: CreateForm[] = [];
  const isRefused = (quirks.userNamesRefused ?? 0) >= USER_NAMES_REFUSED;
  for (const withUserName of isRefused ? [false] : [true, false]) {
    for (const withName of nameForms) {
      for (const emailForm of emailForms) list.push({ emailForm, withName, withUserName });
    }
  }
  return list;
}

/** While no form is known, each failure gives the other one its turn: the service may fail at a form instead of refusing it. */
function orderEmailForms(attempts: number): EmailForm[] {
  return attempts % 2 === 0 ? ['strings', 'objects'] : ['objects', 'strings'];
}

function toBody({ userName, address, name }: UserActionOf<'create-user'>, form: CreateForm) {
  return {
    ...(form.withUserName ? { userName } : {}),
    emails:
      form.emailForm === 'strings' ? [address] : [{ value: address, type: 'work', primary: true }],
    ...(form.withName && name ? { name } : {}),
  };
}

async function toCreated(
  deps: ReconcileDeps,
  { state, action, form, created }: Creation & { form: CreateForm; created: ScimUser },
): Promise<Outcome> {
  const sent = form.withName && action.name ? fullName(action.name) : undefined;
  const tookName = sent === undefined ? undefined : isSamePersonName(sent, created.fullName);
  await deps.quirks.learn({
    emailForm: form.emailForm,
    ...(tookName === undefined ? {} : { nameOnCreate: tookName }),
    ...toUserNameLesson(deps, form),
  });
  const seen = { at: deps.clock.now(), by: scim.addUser.id };
  const observed = toObservedUser(created, state.observed, seen);
  const echo = sent && tookName ? toEcho(sent, normaliseName(created.fullName)) : {};
  return {
    kind: 'done',
    known: { upstreamId: created.id, observed, doneFields: ['account'], ...echo },
  };
}

/** Counts users in a row who were taken only without their userName. */
function toUserNameLesson({ quirks, clock }: ReconcileDeps, { withUserName }: CreateForm): Quirks {
  const { userNamesRefused = 0 } = quirks.current();
  if (withUserName) return userNamesRefused === 0 ? {} : { userNamesRefused: 0 };
  if (userNamesRefused >= USER_NAMES_REFUSED) return {};
  return { userNamesRefused: userNamesRefused + 1, userNamesRefusedAt: clock.now() };
}

/**
 * Resolves "already has access": the account was made since the last look, and is adopted or refused. Where an earlier
 * create may have made it, lists that do not show it yet are no reason to refuse.
 */
async function resolveConflict(
  deps: ReconcileDeps,
  context: CallContext,
  { state, problem }: { state: UserState; problem: Problem },
): Promise<Outcome> {
  const keys = toAccountKeys(toSentUser(state.desired));
  const byFilter = await findAccount(deps, context, keys);
  const found =
    byFilter.kind === 'not-there' ? await findAccountInList(deps, context, keys) : byFilter;
  switch (found.kind) {
    case 'found':
      return adoptFound(deps, context, { user: found.user, problem });
    case 'not-there':
    case 'ambiguous': {
      const isOurs = found.kind === 'not-there' && state.sentCreates.length > 0;
      const conflict = { ...problem, code: 'conflict' };
      return { kind: isOurs ? 'unknown' : 'refused', parts: ['account'], problem: conflict };
    }
    case 'could-not-look':
      return { kind: 'later', problem: found.problem };
  }
}

/** Why the account of an owner is never given to a user by itself, in our words. */
export const OWNER_ACCOUNT =
  'the account in the service is an owner of the company, and is not taken over';

/** Adopts the found account, unless it is privileged or the settings forbid it. */
export async function adoptFound(
  deps: ReconcileDeps,
  context: CallContext,
  { user, problem }: { readonly user: ScimUser; readonly problem?: Problem },
): Promise<Outcome> {
  const refused = (words: string): Outcome => ({
    kind: 'refused',
    parts: ['account'],
    problem: { ...problem, ...toOwnRefusal(words) },
  });
  if (deps.policy.adoptUsers !== 'yes')
    return refused('the account exists in the service, and is not taken over');
  const account = { upstreamId: user.id, names: [user.userName, ...user.emails] };
  const { protection } = deps.rules;
  if ((await protection.findAccountPrivilege(deps.store.read, account)) !== undefined) {
    return refused('the account in the service is protected, and is not taken over');
  }
  try {
    const search = { upstreamId: user.id, text: user.emails[0] ?? user.userName };
    const isOwner = await lookUpOwner(deps, context, search);
    if (isOwner) return refused(OWNER_ACCOUNT);
  } catch (error) {
    return { kind: 'later', problem: classify(error).problem };
  }
  const seen = { at: deps.clock.now(), by: scim.getUsers.id };
  const observed = { ...toObservedUser(user, undefined, seen), owner: false };
  return {
    kind: 'done',
    known: { upstreamId: user.id, observed, adopted: true, doneFields: ['account'] },
  };
}
