import { isDeepStrictEqual } from 'node:util';
import { toEcho } from '../../domain/cell.ts';
import { countAttempts } from '../../domain/failure.ts';
import { compareAccount, type SentCreate, toSentUser, type UserState } from '../../domain/kinds.ts';
import { fullName, isSamePersonName, normaliseName } from '../../domain/name.ts';
import { foldCase, newId, type Refusal, toOwnRefusal } from '../../domain/values.ts';
import type { Values } from '../../plan/step.ts';
import { listCreations } from '../../store/logs.ts';
import { findUserByUpstreamId } from '../../store/resources/find.ts';
import { LIVE, listRows, type UserRow } from '../../store/resources/rows.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser, type ScimUser } from '../../upstream/shapes/scim-user.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type Classified, classify, type Outcome } from '../outcome.ts';
import type { EmailForm, Quirks } from '../quirks.ts';
import { BLIND, isBlind } from '../sections.ts';
import { assertAbout, type StepCall } from '../step-call.ts';
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
  await deps.quirks.learn({
    emailForm: form.emailForm,
    ...(tookName === undefined ? {} : { nameOnCreate: tookName }),
    ...toUserNameLesson(deps, form),
  });
  const observed = observeUser(deps, created, before, scim.addUser);
  const echo = sent && tookName ? toEcho(sent, normaliseName(created.fullName)) : {};
  const ids = { restId: created.id };
  return { kind: 'done', known: { ids, observed, done: ['account'], ...echo } };
}

/** Counts users in a row who were taken only without their userName. */
function toUserNameLesson({ quirks }: ReconcileDeps, { withUserName }: CreateForm): Quirks {
  const { userNamesRefused = 0 } = quirks.current();
  if (withUserName) return userNamesRefused === 0 ? {} : { userNamesRefused: 0 };
  if (userNamesRefused >= USER_NAMES_REFUSED) return {};
  return { userNamesRefused: userNamesRefused + 1 };
}

/** Resolves "already has access": the account is adopted, refused, or waited for where a lost create may have made it. */
export async function resolveConflict(
  { deps, state }: StepCall<UserState>,
  { verdict, problem }: Classified,
): Promise<Outcome | undefined> {
  if (verdict !== 'conflict') return undefined;
  const names = toAccountNames(toSentUser(state.desired));
  const byFilter = await findAccount(deps, names);
  // The service says that it exists, and a filter may hide inactive users.
  const found =
    byFilter.kind === 'not-there' ? await attempt(() => findInList(deps, names)) : byFilter;
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
  problem?: Refusal,
): Promise<Outcome> {
  const obstacle = await findObstacle(deps, user);
  if (typeof obstacle === 'object') return { kind: 'later', problem: obstacle };
  if (obstacle !== undefined) {
    const refusal = { ...problem, ...toOwnRefusal(obstacle) };
    return { kind: 'refused', parts: ['account'], problem: refusal };
  }
  const observed = { ...observeUser(deps, user, undefined, scim.getUsers), owner: false };
  const ids = { restId: user.id };
  const known = { ids, observed, adopted: true, done: ['account'] } as const;
  return { kind: 'done', known };
}

/** Why an account is not taken over, in words; a problem: it could not be found out; undefined: it is. */
async function findObstacle(
  deps: ReconcileDeps,
  { id: upstreamId, userName, emails }: ScimUser,
): Promise<string | Refusal | undefined> {
  if (deps.policy.adoptUsers !== 'yes')
    return 'the account exists in the service, and is not taken over';
  const account = { upstreamId, names: [userName, ...emails] };
  const { protection } = deps.rules;
  if ((await protection.findAccountPrivilege(deps.store.read, account)) !== undefined) {
    return 'the account in the service is protected, and is not taken over';
  }
  try {
    const names = { email: emails[0], userName };
    return (await lookUpOwner(deps, upstreamId, names)) ? OWNER_ACCOUNT : undefined;
  } catch (error) {
    return classify(error).problem;
  }
}

/** Result of looking for an account. "Not there" needs a proven filter or a complete list. */
type FoundAccount =
  | { readonly kind: 'found'; readonly user: ScimUser }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'not-there' }
  /** It could not be looked for. */
  | { readonly kind: 'later'; readonly problem: Refusal };

/** Names by which an account is recognised: the userName and the address of its create, folded. */
export function toAccountNames({ name, address }: SentCreate): string[] {
  return [...new Set([name, address ?? name].map(foldCase))];
}

/** Looks for an account of one of these folded names: by filter, or else through the complete list. */
export function findAccount(deps: ReconcileDeps, names: readonly string[]): Promise<FoundAccount> {
  return attempt(async () => (await findByFilter(deps, names)) ?? (await findInList(deps, names)));
}

/** Looks for the account that a create may have left, by the names that were sent. One that another user has is left out. */
export async function findCreated(
  deps: ReconcileDeps,
  { id, desired, sentCreates }: UserState,
): Promise<FoundAccount> {
  const wanted = toSentUser(desired);
  for (const create of sentCreates.length > 0 ? sentCreates : [wanted]) {
    const found = await findAccount(deps, toAccountNames(create));
    if (found.kind === 'not-there') continue;
    const isEarlier = !isDeepStrictEqual(create, wanted);
    if (found.kind === 'found' && isEarlier) {
      const holder = await findUserByUpstreamId(deps.store.read, found.user.id);
      if (holder !== undefined && holder.id !== id && holder.origin !== null) continue;
    }
    return found;
  }
  return attempt(async () =>
    (await isBlind(deps, 'users')) ? { kind: 'later', problem: BLIND } : { kind: 'not-there' },
  );
}

async function attempt(look: () => Promise<FoundAccount>): Promise<FoundAccount> {
  try {
    return await look();
  } catch (error) {
    return { kind: 'later', problem: classify(error).problem };
  }
}

function toFound(matches: readonly ScimUser[]): FoundAccount {
  const ids = new Set(matches.map(({ id }) => id));
  const [user] = matches;
  if (user === undefined || ids.size > 1) return { kind: 'ambiguous' };
  return { kind: 'found', user };
}

/** True when an account has one of these names. Compared here, because the service may ignore a filter. */
function matches({ userName, emails }: ScimUser, names: readonly string[]): boolean {
  return [userName, ...emails].some((text) => text !== undefined && names.includes(foldCase(text)));
}

async function findInList(deps: ReconcileDeps, names: readonly string[]): Promise<FoundAccount> {
  const found: ScimUser[] = [];
  const { pageSize } = deps.policy;
  const pages = paginate(deps.upstream, scim.getUsers, {}, { pageSize });
  for await (const { items } of pages) {
    found.push(...items.map(parseScimUser).filter((user) => matches(user, names)));
  }
  if (found.length > 0) return toFound(found);
  const { result } = pages;
  if (result.complete) return { kind: 'not-there' };
  return { kind: 'later', problem: { code: 'incomplete', words: result.reason } };
}

type Attribute = 'userName' | 'emails.value';

/** Looks for an account by filters, the likeliest first; undefined when an empty answer proves nothing. */
async function findByFilter(
  deps: ReconcileDeps,
  names: readonly string[],
): Promise<FoundAccount | undefined> {
  const [name = '', ...others] = names;
  const ask = async (attribute: Attribute, value: string) =>
    (await askUsers(deps, attribute, value)).filter((user) => matches(user, names));
  const likely = await orRefused(ask('userName', name), undefined);
  if (likely !== undefined && likely.length > 0) return toFound(likely);
  if (likely === undefined || !(await isFilterProven(deps))) return undefined;
  const hits: ScimUser[] = [];
  for (const value of names) hits.push(...(await ask('emails.value', value)));
  for (const value of others) hits.push(...(await ask('userName', value)));
  return hits.length > 0 ? toFound(hits) : { kind: 'not-there' };
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

async function orRefused<Other>(look: Promise<ScimUser[]>, other: Other) {
  try {
    return await look;
  } catch (error) {
    const { verdict } = classify(error);
    if (verdict === 'later' || verdict === 'unknown') throw error;
    return other;
  }
}
