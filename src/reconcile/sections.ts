import type { Refusal } from '../domain/values.ts';
import { BridgeError } from '../domain/values.ts';
import type { Part } from '../plan/step.ts';
import { LIVE } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import { countWhere, createShared } from '../store/tables.ts';
import { auditLogs, companyUsers, groups } from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';
import { parseEntries } from '../upstream/shapes/reader.ts';
import { parseRestGroup } from '../upstream/shapes/rest-group.ts';
import { parseScimList } from '../upstream/shapes/scim-list.ts';
import { parseScimUser } from '../upstream/shapes/scim-user.ts';
import type { ReadableSection, ReconcileDeps } from './deps.ts';
import type { Classified, Outcome, Postponed } from './outcome.ts';
import { classify, isRefusal, seenOr } from './outcome.ts';

/** Result of a look after "not there". `found`: the same answer again is a refusal. `gone`: no second look follows at once. */
export type Missed = 'found' | 'gone';

/** Outcome of a failed call for its resource. "Not there", and a refused change of access, is looked at, once a run. */
export async function toFailure(
  deps: ReconcileDeps,
  classified: Classified,
  about: { parts: readonly Part[]; section: ReadableSection; missed: Missed | undefined },
): Promise<Outcome> {
  const { verdict, problem } = classified;
  const { parts, section, missed } = about;
  if (verdict === 'later') return toLater(classified);
  if (verdict === 'unknown') return { kind: 'unknown', problem, parts };
  // Others may have made a change of access, and the service refuses what is so already.
  const isOfAccess = isRefusal(classified) && parts.every((part) => part === 'active');
  if ((verdict === 'missing' || isOfAccess) && missed !== 'found') {
    return { kind: 'unknown', problem, ...(missed === undefined && { lookNow: true }) };
  }
  const isClosed = verdict === 'forbidden' && !(await isSectionUp(deps, section, problem));
  // Where the look found the resource, something else of the request is missing.
  return isClosed ? toLater(classified) : { kind: 'refused', parts, problem };
}

/** Outcome of a call that changed and showed nothing: it is repeated at the time the service asked for, or after the usual delay. */
export function toLater({ verdict: _, ...failed }: Classified) {
  return { kind: 'later', ...failed } as const;
}

const FAILURES: ReadonlySet<string> = new Set(['unavailable', 'unreadable', 'timeout']);

/** Makes a look. One that fails is made again, and counts as an attempt of the parts that wait for it. A missing right is reported. */
export async function tryLook<Seen>(
  deps: ReconcileDeps,
  section: ReadableSection,
  look: () => Promise<Seen>,
  parts: readonly Part[] = [],
): Promise<Seen | Postponed> {
  try {
    return await look();
  } catch (error) {
    const classified = classify(error);
    const { verdict, problem } = classified;
    if (verdict === 'forbidden') await isSectionUp(deps, section, problem);
    return { ...toLater(classified), ...(FAILURES.has(problem.code) && { parts }) };
  }
}

/** Looks by id, and a second time after a canary, before what is not there is looked for in another way. @throws UpstreamError */
export async function lookSurely(
  deps: ReconcileDeps,
  section: 'users' | 'groups',
  look: () => Promise<Outcome>,
  find: () => Promise<Outcome>,
): Promise<Outcome> {
  const lookOnce = () => seenOr(look(), undefined, 'missing');
  return (
    (await lookOnce()) ?? (await findDoubt(deps, section)) ?? (await lookOnce()) ?? (await find())
  );
}

/** Outcome of a look that found nothing, where the section may not show what is there; undefined: it shows it. @throws UpstreamError */
export async function findDoubt(
  deps: ReconcileDeps,
  section: 'users' | 'groups',
): Promise<Outcome | undefined> {
  return (await isBlind(deps, section)) ? { kind: 'later', problem: BLIND } : undefined;
}

/** Tells whether a 402, 403, 405 or 501 concerned one resource only; else the section is closed, and the request waits. */
export async function isSectionUp(
  deps: ReconcileDeps,
  section: ReadableSection,
  problem: Refusal,
): Promise<boolean> {
  const isOfPeople = section === 'users' || section === 'groups';
  try {
    if (isOfPeople && problem.code === BLIND.code) return !(await isBlind(deps, section));
    await readCheaply(deps, section);
    await deps.sections.save(section, null);
    return true;
  } catch (error) {
    if (classify(error).verdict === 'forbidden') await deps.sections.save(section, problem);
    return false;
  }
}

function readCheaply({ upstream }: ReconcileDeps, section: ReadableSection): Promise<unknown> {
  const context = { class: 'look', key: `section:${section}` } as const;
  const first = { query: { limit: 1, offset: 0 } };
  const users = { query: { startIndex: 1, count: 1 } };
  const reads = {
    users: () => upstream.call(scim.getUsers, users, context),
    groups: () => upstream.call(groups.getListOfGroups, first, context),
    companyUsers: () => upstream.call(companyUsers.getListOfUsers, first, context),
    audit: () => upstream.call(auditLogs.retrieveAuditLogEvents, first, context),
  };
  return reads[section]();
}

/** Service that a store belongs to. */
export interface KnownService {
  /** Base URL, or a constant for the embedded sandbox, whose port changes. */
  readonly identity: string;
  /** Company, once a list or the account of the token named it. */
  readonly companyId?: number | undefined;
  /** Account behind the token, where the service tells it. */
  readonly accountId?: number | undefined;
}

/** The service that the store belongs to; unknown of a new store. */
const SERVICE = createShared<KnownService>('service');

type StoreDeps = Pick<ReconcileDeps, 'store' | 'clock' | 'identity'>;

/** Finds what the store knows of its service. @throws BridgeError `other-service` when it belongs to another address */
export async function openService({ store, identity }: StoreDeps) {
  const known = await SERVICE.find(store.read);
  if (known && known.identity !== identity) throw toOther(known.identity, identity);
  return known;
}

/** Makes the store belong to this service, or adds facts about it. @throws BridgeError `other-service`: it has another */
export async function assertService(
  deps: StoreDeps,
  seen: Omit<KnownService, 'identity'>,
): Promise<KnownService> {
  const { store, clock, identity } = deps;
  const known = await openService(deps);
  const { companyId = known?.companyId, accountId = known?.accountId } = seen;
  if (companyId !== (known?.companyId ?? companyId))
    throw toOther(`company ${known?.companyId}`, `company ${companyId}`);
  const service = { identity, companyId, accountId };
  if (JSON.stringify(service) !== JSON.stringify(known))
    await store.write((tx) => SERVICE.save(tx, service, clock.now()));
  return service;
}

function toOther(known: string, seen: string): BridgeError {
  return new BridgeError(
    'other-service',
    `the store belongs to ${known}, and the settings lead to ${seen}: ` +
      'set UPSTREAM_URL and UPSTREAM_TOKEN back, or give this service a store of its own (DATABASE_URL)',
  );
}

/** True for the error of a store that belongs to another service. */
export function isOtherService(error: unknown): error is BridgeError {
  return error instanceof BridgeError && error.code === 'other-service';
}

/** Tells whether the service answers a cheap read that every token may send. Never rejects because of the service. */
export async function isAnswering(deps: ReconcileDeps): Promise<boolean> {
  try {
    await readCheaply(deps, 'users');
    return true;
  } catch (error) {
    return !isTransient(classify(error));
  }
}

/** Times that one kind of call may fail while other reads work. */
const FAILURES_MAX = 3;

/** True when the bridge goes on without what a call was to tell: it tells nothing, or fails alone. `attempt`: from 1 on */
export async function mayGoWithout(
  deps: ReconcileDeps,
  error: unknown,
  attempt: number,
): Promise<boolean> {
  const classified = classify(error);
  if (!isTransient(classified) || classified.problem.code === 'unreadable') return true;
  return attempt >= FAILURES_MAX && (await isAnswering(deps));
}

const isTransient = ({ verdict }: Classified) => verdict === 'later' || verdict === 'unknown';

/** Finds the account behind our own token; undefined: the service does not tell it. */
export const findOwnAccount = async (db: Db) => (await SERVICE.find(db))?.accountId;

/** Problem of a section that does not show what is surely there, for instance because the token has lost rights. */
export const BLIND: Refusal = {
  code: 'blind',
  words: 'the service does not show what is surely there',
};

/** True when a section does not show what is surely there; what it leaves out may be there all the same then. */
async function isBlind(deps: ReconcileDeps, section: 'users' | 'groups'): Promise<boolean> {
  const look = section === 'users' ? seesUsers : seesGroups;
  // A 404, also to a list, shows nothing.
  const lookOnce = () => seenOr(look(deps), false, 'missing');
  const sees = await lookOnce();
  // What a list showed may be gone by the time it is looked at: one more look decides whether the section is closed.
  await deps.sections.save(section, sees || (await lookOnce()) ? null : BLIND);
  return !sees;
}

/** Entries of a list of which one has to be shown by itself: the others may have gone since. */
const SEEN_OF = 3;
/** So few people, our own account among them, may all have gone. */
const FEW = 3;

const countKnown = ({ store }: ReconcileDeps, type: 'user' | 'group') =>
  countWhere(store.read, 'resources', { type, upstream_id: { '<>': null }, ...LIVE });

async function seesUsers(deps: ReconcileDeps): Promise<boolean> {
  const { upstream } = deps;
  const context = { class: 'look', key: 'section:users' } as const;
  const query = { startIndex: 1, count: SEEN_OF + 1 };
  const { items } = parseScimList(await upstream.call(scim.getUsers, { query }, context));
  // A token that has lost its rights may still see itself.
  const own = await findOwnAccount(deps.store.read);
  const others = items.map(parseScimUser).filter(({ id }) => id !== own);
  if (items.length > 0 && others.length === 0) return (await countKnown(deps, 'user')) <= FEW;
  const ids = others.map(({ id }) => ({ user_id: id }));
  return isAnyThere(ids, (path) => upstream.call(scim.getUser, { path }, context));
}

async function seesGroups(deps: ReconcileDeps): Promise<boolean> {
  const { upstream } = deps;
  const context = { class: 'look', key: 'section:groups' } as const;
  const query = { limit: SEEN_OF, offset: 0 };
  const answer = await upstream.call(groups.getListOfGroups, { query }, context);
  const listed = parseEntries(groups.getListOfGroups.id, answer).map(parseRestGroup);
  // The last group of a company may be gone, where people are shown.
  if (listed.length === 0) return (await countKnown(deps, 'group')) <= 1 && seesUsers(deps);
  const uids = listed.map(({ uid }) => ({ uid }));
  return isAnyThere(uids, (path) => upstream.call(groups.getGroup, { path }, context));
}

async function isAnyThere<Id>(ids: readonly Id[], read: (id: Id) => Promise<unknown>) {
  for (const id of ids.slice(0, SEEN_OF)) {
    const isThere = read(id).then(() => true);
    if (await seenOr(isThere, false, 'missing')) return true;
  }
  return false;
}
