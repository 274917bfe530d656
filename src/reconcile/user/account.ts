import { isDeepStrictEqual } from 'node:util';
import { toEcho } from '../../domain/cell.ts';
import { countAttempts } from '../../domain/failure.ts';
import { compareAccount, type SentCreate, toSentUser, type UserState } from '../../domain/kinds.ts';
import { fullName, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { foldCase, newId, type Refusal, toOwnRefusal } from '../../domain/values.ts';
import type { Values } from '../../plan/step.ts';
import { listCreations } from '../../store/logs.ts';
import { findLinked } from '../../store/resources/find.ts';
import { LIVE, listRows, type UserRow } from '../../store/resources/rows.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type Classified, classify, type Outcome, orRefused } from '../outcome.ts';
import type { EmailForm, Quirks } from '../quirks.ts';
import { assertAbout, type StepCall, search } from '../step-call.ts';
import { lookUpOwner, observeUser } from './observe.ts';

/** Users in a row after which userName itself is taken to be refused, and not the value of one user. */
const USER_NAMES_REFUSED = 2;

interface CreateForm {
  readonly emailForm: EmailForm;
  readonly withName: boolean;
  readonly withUserName: boolean;
}

/** Creates the account in the first form that is taken; a 400 or 422 says that nothing was created. @throws UpstreamError */
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
  const { userNamesRefused = 0 } = deps.quirks.current();
  await deps.quirks.learn({
    emailForm: form.emailForm,
    ...(tookName === undefined ? {} : { nameOnCreate: tookName }),
    userNamesRefused: form.withUserName ? 0 : Math.min(userNamesRefused + 1, USER_NAMES_REFUSED),
  });
  const observed = observeUser(deps, created, before, scim.addUser);
  const echo = sent && tookName ? toEcho(sent, normaliseName(created.fullName)) : {};
  const ids = { restId: created.id };
  return { kind: 'done', known: { ids, observed, done: ['account'], ...echo } };
}

/** Resolves "already has access": the account is adopted, refused, or waited for where a lost create may have made it. */
export async function resolveConflict(
  { deps, state }: StepCall<UserState>,
  { verdict, problem }: Classified,
): Promise<Outcome | undefined> {
  if (verdict !== 'conflict') return undefined;
  const names = toAccountNames(toSentUser(state.desired));
  const filtered = await findAccounts(deps, names);
  // The service says that it exists, and a filter may hide inactive users.
  const found = filtered.length > 0 ? filtered : await findInList(deps, names);
  const [user, ...others] = found;
  if (user !== undefined && others.length === 0) return adoptFound(deps, user, problem);
  const { read } = deps.store;
  const wasMade =
    state.sentCreates.length > 0 || (await listCreations(read, { ids: [state.id], from: 0 }))[0];
  const isOurs = user === undefined && wasMade;
  const conflict = { ...problem, code: 'conflict' };
  return { kind: isOurs ? 'unknown' : 'refused', parts: ['account'], problem: conflict };
}

/** Why the account of an owner is never given to a user by itself, in our words. */
export const OWNER_ACCOUNT =
  'the account in the service is an owner of the company, and is not taken over';

/** Adopts the found account, unless it is privileged or the settings forbid it. @throws UpstreamError */
export async function adoptFound(
  deps: ReconcileDeps,
  user: ScimUser,
  problem?: Refusal,
): Promise<Outcome> {
  const obstacle = await findObstacle(deps, user);
  if (obstacle !== undefined) {
    const refusal = { ...problem, ...toOwnRefusal(obstacle) };
    return { kind: 'refused', parts: ['account'], problem: refusal };
  }
  const observed = { ...observeUser(deps, user, undefined, scim.getUsers), owner: false };
  const ids = { restId: user.id };
  const known = { ids, observed, adopted: true, done: ['account'] } as const;
  return { kind: 'done', known };
}

/** Why an account is not taken over, in words; undefined: it is. @throws UpstreamError */
async function findObstacle(
  deps: ReconcileDeps,
  { id: upstreamId, userName, emails }: ScimUser,
): Promise<string | undefined> {
  if (deps.policy.adoptUsers !== 'yes')
    return 'the account exists in the service, and is not taken over';
  const account = { upstreamId, names: [userName, ...emails] };
  const { protection } = deps.rules;
  if ((await protection.findAccountPrivilege(deps.store.read, account)) !== undefined) {
    return 'the account in the service is protected, and is not taken over';
  }
  const isOwner = await lookUpOwner(deps, upstreamId, { email: emails[0], userName });
  return isOwner ? OWNER_ACCOUNT : undefined;
}

/** Names by which an account is recognised: the userName and the address of its create, folded. */
export function toAccountNames({ name, address }: SentCreate): string[] {
  return [...new Set([name, address ?? name].map(foldCase))];
}

/** Finds the accounts of these folded names, by filter or else in the complete list; none: there are none. @throws UpstreamError */
export async function findAccounts(
  deps: ReconcileDeps,
  names: readonly string[],
): Promise<readonly ScimUser[]> {
  return (await findByFilter(deps, names)) ?? (await findInList(deps, names));
}

/** Finds the accounts that a create may have left, by the names that were sent. One that another user has is left out. @throws UpstreamError */
export async function findCreated(
  deps: ReconcileDeps,
  { id, desired, sentCreates }: UserState,
): Promise<readonly ScimUser[]> {
  const wanted = toSentUser(desired);
  for (const create of sentCreates.length > 0 ? sentCreates : [wanted]) {
    const found = await findAccounts(deps, toAccountNames(create));
    const [user, ...others] = found;
    if (user === undefined) continue;
    if (others.length > 0 || isDeepStrictEqual(create, wanted)) return found;
    const holder = await findLinked(deps.store.read, 'user', { restId: user.id });
    if (holder === undefined || holder.id === id || holder.origin === null) return found;
  }
  return [];
}

function findInList(deps: ReconcileDeps, names: readonly string[]): Promise<ScimUser[]> {
  const isMeant = (user: ScimUser) => isNamed(user, names);
  return search(deps, { operation: scim.getUsers, args: {}, parse: parseScimUser, isMeant });
}

/** True when an account has one of these names. Compared here, because the service may ignore a filter. */
function isNamed({ userName, emails }: ScimUser, names: readonly string[]): boolean {
  return [userName, ...emails].some((text) => text !== undefined && names.includes(foldCase(text)));
}

type Attribute = 'userName' | 'emails.value';

/** Finds accounts by filters, the likeliest first; undefined when an empty answer proves nothing. */
async function findByFilter(
  deps: ReconcileDeps,
  names: readonly string[],
): Promise<ScimUser[] | undefined> {
  const [name = '', ...others] = names;
  const hits = new Map<number, ScimUser>();
  async function ask(attribute: Attribute, values: readonly string[]): Promise<void> {
    for (const value of values) {
      const shown = await askUsers(deps, attribute, value);
      for (const user of shown) if (isNamed(user, names)) hits.set(user.id, user);
    }
  }
  const isRefused = await orRefused(ask('userName', [name]), true);
  if (hits.size === 0) {
    if (isRefused || !(await isFilterProven(deps))) return undefined;
    await ask('emails.value', names);
    await ask('userName', others);
  }
  return [...hits.values()];
}

async function askUsers(
  { upstream }: ReconcileDeps,
  attribute: Attribute,
  value: string,
): Promise<ScimUser[]> {
  const filter = `${attribute} eq ${JSON.stringify(value)}`;
  const list = await upstream.call(scim.getUsers, { query: { filter } });
  return parseScimList(list).items.map(parseScimUser);
}

/** An active account that the service was seen to hold, with a userName and an address, so that a filter must find it. */
const KNOWN = {
  ...LIVE,
  active: 1,
  upstream_id: { '<>': null },
  observed_user_name_folded: { '>': '' },
  observed_email_folded: { '>': '' },
} as const;

/**
 * True if an empty answer to a filter means "not there": it has found exactly one known account, written in other
 * letters, and none for an unused value. Asked once a day at most. @throws UpstreamError
 */
async function isFilterProven(deps: ReconcileDeps): Promise<boolean> {
  const { userFilter } = deps.quirks.current();
  if (userFilter !== undefined) return userFilter === 'proven';
  const [known] = await listRows(deps.store.read, 'user', KNOWN, { order: 'seq', limit: 1 });
  if (known === undefined) return false;
  const isProven =
    (await finds(deps, known, 'userName', known.observed_user_name_folded)) &&
    (await finds(deps, known, 'emails.value', known.observed_email_folded));
  await deps.quirks.learn({ userFilter: isProven ? 'proven' : 'refused' });
  return isProven;
}

async function finds(
  deps: ReconcileDeps,
  known: UserRow,
  attribute: Attribute,
  folded: string | null,
): Promise<boolean> {
  // The values are folded, so a filter that minds the case would overlook users.
  const found = await orRefused(askUsers(deps, attribute, (folded ?? '').toUpperCase()), []);
  if (found.length !== 1 || found[0]?.id !== known.upstream_id) return false;
  const nobody = await orRefused(askUsers(deps, attribute, `${newId()}@nobody.invalid`), found);
  return nobody.length === 0;
}
