import type { ObservedUser, ShownAccount } from '../../domain/kinds.ts';
import { compareAccount } from '../../domain/kinds.ts';
import { BridgeError } from '../../domain/values.ts';
import { toUserState } from '../../store/resources/state.ts';
import { createShared } from '../../store/tables.ts';
import { unreadable } from '../../upstream/errors.ts';
import type { ArgsOf } from '../../upstream/operations/call-types.ts';
import type { PagedOperation } from '../../upstream/operations/operation.ts';
import { users as accounts, companyUsers, groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { PageOptions } from '../../upstream/paginate.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import type { Transport } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { backoffMs, classify, toReadFailure } from '../outcome.ts';
import {
  assertService,
  BLIND,
  isOtherService,
  isSectionUp,
  mayGoWithout,
  openService,
} from '../sections.ts';
import { observeCompanyUser, observeUser } from '../user/account.ts';
import { readMembers } from './read-groups.ts';
import type { ListName, ReadProgress, ReadRun, ShowingList } from './reading.ts';
import { LISTS, READ_SECTIONS, READING, Reading, toList, toSection } from './reading.ts';
import type { Entry } from './store-entries.ts';
import { storeEntries } from './store-entries.ts';

/** How one list is read. */
interface List {
  /** Documented ways to ask for it: a later one is tried when the ones before are not complete. */
  readonly ways: readonly Way[];
  /** Number of entries that it must have, where another complete list tells it. */
  knownTotal?(reading: Reading): number | undefined;
  /** Stores a page; `sentAt` is when it was asked for (epoch milliseconds). */
  storePage(run: ReadRun, items: readonly unknown[], sentAt: number): Promise<void>;
}

type Way = ReturnType<typeof toWay>;

const toWay = <O extends PagedOperation>(operation: O, args: ArgsOf<O>) => ({
  id: operation.id,
  read: (upstream: Transport, options: PageOptions) => paginate(upstream, operation, args, options),
});

/** Every list that shows users or groups. */
const SHOWING: Readonly<Record<ShowingList, List>> = {
  /** userName, name, address and the active flag. */
  users: {
    ways: [toWay(scim.getUsers, {})],
    storePage: (run, items, sentAt) => {
      const by = scim.getUsers.id;
      const entries = items
        .map(parseScimUser)
        .map((user) =>
          toUserEntry({ ...user, sentAt, list: 'users' }, (before, at) =>
            observeUser(user, before, { at, by }),
          ),
        );
      return storeEntries({ ...run, type: 'user' }, entries);
    },
  },
  /** Roles, licences and suspensions. Accounts that it alone shows are users too: groups may have them as members. */
  companyUsers: {
    ways: [
      toWay(companyUsers.getListOfUsers, {}),
      toWay(companyUsers.getListOfUsers, { query: { for_members_section: true } }),
    ],
    knownTotal: ({ lists: { users } }) => (users.state === 'done' && users.count) || undefined,
    async storePage(run, items, sentAt) {
      const users = items.map(parseCompanyUser);
      await assertService(run.deps, { companyId: users[0]?.companyId });
      const entries = users.map((user) => {
        const { id, username: userName, email } = user;
        const shown = { id, userName, emails: [email], sentAt, list: 'companyUsers' } as const;
        return toUserEntry(shown, (before, at) => observeCompanyUser(user, before, at));
      });
      await storeEntries({ ...run, type: 'user' }, entries);
    },
  },
  /** Names of the groups, and members where the list carries them. */
  groups: {
    ways: [toWay(scim.getGroups, {})],
    async storePage({ reading: { scimGroups } }, items) {
      for (const group of items.map(parseScimGroup)) scimGroups.set(group.id, group);
    },
  },
  /** Permissions, flags and REST ids of the groups. */
  restGroups: {
    // The service does not page at all with tree entities; the last way asks for nothing special.
    ways: [
      toWay(groups.getListOfGroups, { query: { with_users_count: true } }),
      toWay(groups.getListOfGroups, {
        query: { with_users_count: true, with_tree_entities: true },
      }),
      toWay(groups.getListOfGroups, {}),
    ],
    knownTotal: ({ lists: { groups: named } }) =>
      named.state === 'done' ? named.count : undefined,
    async storePage({ reading: { restGroups } }, items) {
      for (const group of items.map(parseRestGroup)) restGroups.set(group.uid, group);
    },
  },
};

function toUserEntry(
  shown: ShownAccount & Pick<Entry, 'sentAt'> & { id: number; list: ShowingList },
  merge: (before: ObservedUser | undefined, at: number) => ObservedUser,
): Entry {
  const ids = { upstream_id: shown.id };
  return {
    ids,
    shownIds: ids,
    lists: [shown.list],
    sentAt: shown.sentAt,
    observe: (row, now) => merge((row?.type === 'user' && row.observed) || undefined, now),
    // To their account a list gives none of their names, or it gives these to a new account.
    isAnother: (row) => row.type === 'user' && compareAccount(toUserState(row), shown) !== 'same',
  };
}

/** Reads a list to its proven end, and stores it. @throws UpstreamError, also where the list is not complete */
async function readList(run: ReadRun, name: Exclude<ListName, 'service'>): Promise<void> {
  if (name === 'members') return readMembers(run);
  const { lists, scimGroups, restGroups } = run.reading;
  let [operation, reason]: readonly [string, string] = [name, ''];
  for (const way of SHOWING[name].ways) {
    lists[name] = { ...toList(), since: run.deps.clock.now() };
    // What an incomplete way has left is forgotten.
    if (name === 'groups') scimGroups.clear();
    if (name === 'restGroups') restGroups.clear();
    const left = await readPages(run, name, way).catch((error: unknown) => {
      // A service that does not take these parameters may take those of the next way.
      const { verdict, problem } = classify(error);
      if (verdict !== 'refused') throw error;
      return problem.words;
    });
    if (left === undefined) return;
    [operation, reason] = [way.id, left];
  }
  throw unreadable(operation, reason, { outcome: 'answered' });
}

/** Reads the pages of a list. Returns why they are not the whole list. */
async function readPages(run: ReadRun, name: ShowingList, way: Way): Promise<string | undefined> {
  const { clock, policy, upstream } = run.deps;
  const { knownTotal, storePage } = SHOWING[name];
  const list = run.reading.lists[name];
  const total = knownTotal?.(run.reading);
  const { pageSize } = policy;
  const pages = way.read(upstream, { ...READING, signal: run.signal, pageSize, emptyFrom: total });
  let sentAt = clock.now();
  for await (const page of pages) {
    await storePage(run, page.items, sentAt);
    list.count += page.items.length;
    if (page.total !== undefined) list.total = page.total;
    sentAt = clock.now();
  }
  const { reason } = pages.result;
  // A service that ignores the offset sends the same page for ever; one page can still be everything.
  return reason === 'a page came twice' && pages.progress.count === total ? undefined : reason;
}

/** Times that the list of roles may be incomplete, or not be understood, before the rest serves without it. */
const UNREADABLE_MAX = 3;

interface ReadOptions {
  /** Failures in a row of one list after which the read ends without a result; by default it goes on for ever. */
  readonly failuresMax?: number;
  /** Called once a list was read or refused. */
  readonly onEnd?: () => Promise<void>;
}

/** Reads every open list to its end, or leaves out a refused one. @throws BridgeError `sweep-incomplete`, `other-service` */
export async function readService(
  run: ReadRun,
  { failuresMax, onEnd }: ReadOptions = {},
): Promise<void> {
  const { reading, deps, signal } = run;
  for (let list = reading.findOpenList(); list; list = reading.findOpenList()) {
    // Missing roles do not block SCIM for ever: the rest serves, and status tells the gap.
    const mayGiveUp =
      list === 'companyUsers' &&
      failuresMax === undefined &&
      reading.failures + 1 >= UNREADABLE_MAX;
    try {
      await (list === 'service' ? readOwner(run) : readOrLeaveOut(run, list, mayGiveUp));
      await onEnd?.();
      reading.failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      if (isOtherService(error)) throw error;
      // What was not stored as read is read again, but for the members that were.
      reading.lists[list] = toList();
      const { text: reason, retryAfterMs } = toReadFailure(error);
      reading.failures += 1;
      if (reading.failures === failuresMax) throw new BridgeError('sweep-incomplete', reason);
      const attempts =
        list === 'service' ? Math.min(reading.failures, ASKED_MAX) : reading.failures;
      const retryInMs = backoffMs(attempts, retryAfterMs, deps.random());
      deps.events.firstReadFailed({ step: list, reason, retryInMs });
      await deps.clock.sleep(retryInMs, signal);
    }
  }
}

/** Attempts after which the wait grows no more: all changes wait for whose service it is, so it is asked every 16 s at least. */
const ASKED_MAX = 5;

/** Learns whose service it is, and our own account, which must never lock itself out. */
async function readOwner({ deps, reading, signal }: ReadRun): Promise<void> {
  // The operation is not documented.
  const asked = deps.upstream.call(accounts.retrieveCurrentUser, {}, { ...READING, signal });
  const seen = await asked.then(parseCompanyUser).catch(async (error: unknown) => {
    if (!(await mayGoWithout(deps, error, reading.failures + 1))) throw error;
  });
  const facts = { accountId: seen?.id, companyId: seen?.companyId };
  const { accountId } = await assertService(deps, facts);
  reading.accountId = accountId;
  reading.lists.service.state = 'done';
}

/** Reads a list, or leaves it out. A section opens once all its lists are read, so that a provider does not get "not found" too early. */
async function readOrLeaveOut(
  run: ReadRun,
  list: Exclude<ListName, 'service'>,
  mayGiveUp: boolean,
): Promise<void> {
  const { deps, reading } = run;
  const section = toSection(list);
  try {
    await readList(run, list);
  } catch (error) {
    const { verdict, problem } = toReadFailure(error);
    if (verdict !== 'forbidden' && !(mayGiveUp && problem.code === 'unreadable')) throw error;
    // The section comes first: a refused list must never look open.
    await deps.sections.save(section, problem);
    return reading.restart(section, 'refused');
  }
  if (LISTS[section].at(-1) === list) await deps.sections.save(section, null);
  if (list === 'members') {
    reading.scimGroups.clear();
    reading.restGroups.clear();
  }
  reading.lists[list].state = 'done';
  deps.events.firstReadStep({ step: list, done: reading.lists[list].count });
  // Members of groups that were read before the users can be stored now.
  if (section !== 'groups' && reading.isDone('members')) reading.restart('groups');
}

/** Asks closed sections again: one that was never read is to be read now, another costs one cheap call. */
async function recheckSections({ deps, reading }: ReadRun): Promise<void> {
  const sections = deps.sections.states();
  for (const section of READ_SECTIONS) {
    const isUnread = LISTS[section].some((list) => reading.lists[list].state === 'refused');
    const problem = sections[section]?.problem;
    if (isUnread) reading.restart(section);
    else if (problem) await isSectionUp(deps, section, problem);
  }
}

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;

/** When everything had been read once (epoch milliseconds). A restart before that begins anew. */
export const FIRST_READ = createShared<number>('first-read');

/** The first read of a service, once per store. SCIM answers after it alone: "not found" would have users created twice. */
export type FirstRead = ReturnType<typeof createFirstRead>;

/** Creates the first read of one lead; nothing is read before its start. */
export function createFirstRead(deps: ReconcileDeps) {
  const { store, clock } = deps;
  const learned = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<BridgeError>();
  const reading = new Reading(clock.now(), true);
  reading.lists.service.state = 'open';
  const job = { type: 'first-read', id: 'run', restMs: RECHECK_MS };
  const loop = createJob(deps, job, async (signal) => {
    const run = { deps, reading, signal };
    try {
      // A store that was filled before asks for closed sections at once.
      if (!reading.isFirst) await recheckSections(run);
      await readService(run, { onEnd: noteEnd });
    } catch (error) {
      if (!isOtherService(error)) throw error;
      broken.resolve(error);
    }
    return RECHECK_MS;
  });

  async function noteEnd(): Promise<void> {
    // Whose service it is comes before all lists.
    learned.resolve();
    // That it was finished once, no later change undoes.
    if (!reading.isFirst || reading.findOpenList() !== undefined) return;
    const now = clock.now();
    await store.write((tx) => FIRST_READ.save(tx, now, now));
    reading.isFirst = false;
  }

  return {
    /** Starts. @throws BridgeError `other-service`: the store has another one */
    async start(): Promise<void> {
      reading.accountId = (await openService(deps))?.accountId;
      reading.isFirst = (await FIRST_READ.find(store.read)) === undefined;
      for (const section of reading.isFirst ? [] : READ_SECTIONS) {
        // One that is closed may never have been read.
        const { code = BLIND.code } = deps.sections.states()[section]?.problem ?? {};
        reading.restart(section, code === BLIND.code ? 'done' : 'refused');
      }
      loop.start();
    },
    stop: loop.stop,
    /** How far it has come; null: it is finished. */
    progress(): ReadProgress | null {
      const none = { step: 'members', read: 0, expected: null, endsAt: null };
      return reading.isFirst ? (reading.findProgress(clock.now()) ?? none) : null;
    },
    isFinished: () => !reading.isFirst,
    /** Account behind the token, once it is known and where the service tells it. */
    ownAccount: () => reading.accountId,
    /** Hold on changes until this process knows that the service is the one of the store, as far as it tells. */
    hold: {
      over: learned.promise,
      isLong: () => !reading.isDone('service') && reading.failures > 0,
    },
    /** Resolves, if ever, with the reason why the bridge must stop: the store belongs to another company. */
    broken: broken.promise,
  };
}
