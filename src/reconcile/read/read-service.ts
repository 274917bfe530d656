import { BridgeError } from '../../domain/errors.ts';
import type { ArgsOf } from '../../upstream/operations/call-types.ts';
import type { PagedOperation } from '../../upstream/operations/operation.ts';
import { companyUsers, groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import { backoffMs } from '../backoff.ts';
import { isSectionUp, readSections, saveSection } from '../sections.ts';
import { classify, type Reason, toReason } from '../verdict.ts';
import { readMembers } from './read-groups.ts';
import {
  type ListName,
  listsOf,
  READ_SECTIONS,
  READING,
  type Reading,
  type ReadRun,
  toSection,
} from './reading.ts';
import { assertService } from './service.ts';
import { storeEntries } from './store-entries.ts';
import { toCompanyUserEntry, toScimUserEntry, userEntries } from './user-entries.ts';

/** How one list is read. */
interface List<O extends PagedOperation> {
  readonly operation: O;
  /** Documented ways to ask for it: a later one is tried when the ones before are not complete. */
  readonly variants: readonly ArgsOf<O>[];
  /** Number of entries that it must have, where another complete list tells it. */
  knownTotal?(reading: Reading): number | undefined;
  /** Forgets what an incomplete way has left. */
  begin?(reading: Reading): void;
  /** Stores a page; `sentAt` is when it was asked for (epoch milliseconds). */
  storePage(run: ReadRun, items: readonly unknown[], sentAt: number): Promise<void>;
}

/** Every list, in any order. Each resolves with why it was not provably complete; undefined: it was. */
const READERS: Readonly<Record<ListName, (run: ReadRun) => Promise<string | undefined>>> = {
  /** userName, name, address and the active flag. */
  users: createReader('users', {
    operation: scim.getUsers,
    variants: [{}],
    storePage: (run, items, sentAt) => {
      const users = items.map(parseScimUser);
      return storeEntries(
        run,
        userEntries,
        users.map((user) => toScimUserEntry(user, sentAt)),
      );
    },
  }),
  /**
   * Roles, licences and suspensions. Accounts that only this list shows (placeholders without a mailbox, for instance)
   * become users too: groups may have them as members, and their addresses are taken.
   */
  companyUsers: createReader('companyUsers', {
    operation: companyUsers.getListOfUsers,
    variants: [{}, { query: { for_members_section: true } }],
    knownTotal: ({ lists: { users } }) => (users.state === 'done' && users.count) || undefined,
    async storePage(run, items, sentAt) {
      const users = items.map(parseCompanyUser);
      await assertService(run.deps, { companyId: users[0]?.companyId });
      const entries = users.map((user) => toCompanyUserEntry(user, sentAt));
      await storeEntries(run, userEntries, entries);
    },
  }),
  /** Names of the groups, and members where the list carries them. */
  groups: createReader('groups', {
    operation: scim.getGroups,
    variants: [{}],
    begin: ({ scimGroups }) => scimGroups.clear(),
    async storePage({ reading: { scimGroups } }, items, sentAt) {
      for (const group of items.map(parseScimGroup)) scimGroups.set(group.id, { ...group, sentAt });
    },
  }),
  /** Permissions, flags and REST ids of the groups. */
  restGroups: createReader('restGroups', {
    operation: groups.getListOfGroups,
    // The service does not page at all with tree entities; the last way asks for nothing special.
    variants: [
      { query: { with_users_count: true } },
      { query: { with_users_count: true, with_tree_entities: true } },
      {},
    ],
    knownTotal: ({
      lists: {
        groups: { state, count },
      },
    }) => (state === 'done' ? count : undefined),
    begin: ({ restGroups }) => restGroups.clear(),
    async storePage({ reading: { restGroups } }, items) {
      for (const group of items.map(parseRestGroup)) restGroups.set(group.uid, group);
    },
  }),
  members: readMembers,
};

/** Creates what reads a list to its proven end, and stores it page by page; it throws what a call of it throws. */
function createReader<O extends PagedOperation>(name: ListName, list: List<O>) {
  return async (run: ReadRun): Promise<string | undefined> => {
    const { lists } = run.reading;
    let reason: string | undefined;
    for (const args of list.variants) {
      lists[name] = { state: 'open', count: 0, since: run.deps.clock.now() };
      list.begin?.(run.reading);
      try {
        reason = await readPages(run, name, list, args);
      } catch (error) {
        // A service that does not take these parameters may take those of the next way.
        const { verdict, problem } = classify(error);
        if (verdict !== 'refused') throw error;
        reason = problem.words;
      }
      if (reason === undefined) return undefined;
    }
    return `${list.operation.id}: ${reason}`;
  };
}

async function readPages<O extends PagedOperation>(
  run: ReadRun,
  name: ListName,
  list: List<O>,
  args: ArgsOf<O>,
): Promise<string | undefined> {
  const { clock, policy, upstream } = run.deps;
  const { lists } = run.reading;
  const knownTotal = list.knownTotal?.(run.reading);
  const { pageSize } = policy;
  const options = { ...READING, signal: run.signal, pageSize, emptyFrom: knownTotal };
  const pages = paginate(upstream, list.operation, args, options);
  let sentAt = clock.now();
  for await (const { items, total } of pages) {
    await list.storePage(run, items, sentAt);
    lists[name].count += items.length;
    if (total !== undefined) lists[name].total = total;
    sentAt = clock.now();
  }
  const { reason } = pages.result;
  // A service that ignores the offset sends the same page for ever; one page can still be everything.
  return reason === 'a page came twice' && pages.progress.count === knownTotal ? undefined : reason;
}

/** Times that the list of roles may be incomplete, or not be understood, before the rest serves without it. */
const UNREADABLE_MAX = 3;
const UNREADABLE: ReadonlySet<string> = new Set(['unreadable', 'incomplete']);

interface ReadOptions {
  /** Failures in a row of one list after which the read ends without a result; by default it goes on for ever. */
  readonly failuresMax?: number;
  /** Called once a list was read or refused. */
  readonly onEnd?: () => Promise<void>;
}

/**
 * Reads every open list of the service to its proven end; a failed list is read again from its beginning. A list that
 * the service refuses is left out, and its section closed. Returns why a list could not be read, undefined when all were.
 * @throws BridgeError `other-service`, and the reason of the signal
 */
export async function readService(
  run: ReadRun,
  { failuresMax, onEnd }: ReadOptions = {},
): Promise<string | undefined> {
  const { reading, deps, signal } = run;
  let failures = 0;
  for (let list = reading.findOpenList(); list; list = reading.findOpenList()) {
    // Missing roles do not block SCIM for ever: the rest serves, and status tells the gap.
    const mayGiveUp =
      list === 'companyUsers' && failuresMax === undefined && failures + 1 >= UNREADABLE_MAX;
    const reason = await readOrClose(run, list, mayGiveUp)
      .then(async (failed) => failed ?? (await onEnd?.()))
      .catch((error: unknown) => {
        // What was not stored as read is read again.
        reading.lists[list] = { state: 'open', count: 0 };
        return toFailure(run, error);
      });
    failures = reason === undefined ? 0 : failures + 1;
    if (reason === undefined) continue;
    if (failures === failuresMax) return reason.text;
    const retryInMs = backoffMs(failures, reason.retryAfterMs, deps.random());
    deps.events.firstReadFailed({ step: list, reason: reason.text, retryInMs });
    await deps.clock.sleep(retryInMs, signal);
  }
  return undefined;
}

/** Reads one list, or leaves it out. Returns why it could not be read. */
async function readOrClose(
  run: ReadRun,
  list: ListName,
  mayGiveUp: boolean,
): Promise<Reason | undefined> {
  const reason = await READERS[list](run).then(toIncomplete, (error) => toFailure(run, error));
  if (reason === undefined) {
    await endList(run, list);
    return undefined;
  }
  const isGivenUp = mayGiveUp && UNREADABLE.has(reason.problem.code);
  if (reason.verdict !== 'forbidden' && !isGivenUp) return reason;
  // The section comes first: a refused list must never look open.
  await saveSection(run.deps, toSection(list), reason.problem);
  run.reading.restart(toSection(list), 'refused');
  return undefined;
}

function toIncomplete(text: string | undefined): Reason | undefined {
  return text === undefined ? undefined : { problem: { code: 'incomplete', words: text }, text };
}

function toFailure({ signal }: ReadRun, error: unknown): Reason {
  signal.throwIfAborted();
  if (error instanceof BridgeError && error.code === 'other-service') throw error;
  return toReason(error);
}

/**
 * Notes that a list is read. A section opens once all its lists are read, so that a provider does not get "not found" too
 * early.
 */
async function endList({ deps, reading }: ReadRun, list: ListName): Promise<void> {
  const section = toSection(list);
  if (listsOf(section).at(-1) === list) await saveSection(deps, section, null);
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
export async function recheckSections({ deps, reading }: ReadRun): Promise<void> {
  const sections = await readSections(deps);
  for (const section of READ_SECTIONS) {
    const isUnread = listsOf(section).some((list) => reading.lists[list].state === 'refused');
    const problem = sections[section]?.problem;
    if (isUnread) reading.restart(section);
    else if (problem) await isSectionUp(deps, section, problem);
  }
}
