import { BridgeError } from '../../domain/errors.ts';
import { backoffMs } from '../backoff.ts';
import { isSectionUp, readSections, saveSection } from '../sections.ts';
import { type Reason, toReason } from '../verdict.ts';
import { readGroups, readMembers, readRestGroups } from './read-groups.ts';
import { readCompanyUsers, readUsers } from './read-users.ts';
import {
  findOpenList,
  type ListName,
  listsOf,
  type ReadRun,
  restartSection,
  toSection,
} from './reading.ts';

const READERS: { readonly [L in ListName]: (run: ReadRun) => Promise<string | undefined> } = {
  users: readUsers,
  companyUsers: readCompanyUsers,
  groups: readGroups,
  restGroups: readRestGroups,
  members: readMembers,
};

/** Times that the list of roles may be incomplete, or not be understood, before the rest serves without it. */
const UNREADABLE_MAX = 3;
const UNREADABLE: ReadonlySet<string> = new Set(['unreadable', 'incomplete']);

interface ReadOptions {
  /** Failures in a row of one list after which the read ends without a result; by default it goes on for ever. */
  readonly failuresMax?: number;
  /** Called once a list was read or refused. */
  readonly onEnd?: (list: ListName) => Promise<void>;
}

/**
 * Reads every open list of the service to its proven end; a failed list is read again from its beginning. A list that
 * the service refuses is left out, and its section closed. Returns why a list could not be read, undefined when all were.
 * @throws BridgeError `other-service`, and the reason of the signal
 */
export async function readService(
  run: ReadRun,
  options: ReadOptions = {},
): Promise<string | undefined> {
  const { reading, deps, signal } = run;
  let failures = 0;
  for (let list = findOpenList(reading); list; list = findOpenList(reading)) {
    const reason = await tryList(run, list, { failures, ...options });
    failures = reason === undefined ? 0 : failures + 1;
    if (reason === undefined) continue;
    if (failures === options.failuresMax) return reason.text;
    const retryInMs = backoffMs(failures, reason.retryAfterMs, deps.random());
    deps.events.firstReadFailed({ step: list, reason: reason.text, retryInMs });
    await deps.clock.sleep(retryInMs, signal);
  }
  return undefined;
}

/** Reads one list, or leaves it out. Returns why it could not be read. */
async function tryList(
  run: ReadRun,
  list: ListName,
  { failures, failuresMax, onEnd }: ReadOptions & { readonly failures: number },
): Promise<Reason | undefined> {
  const { deps, reading } = run;
  try {
    const reason = await READERS[list](run).then(toIncomplete, (error) => toFailure(run, error));
    if (reason === undefined) await endList(run, list);
    else {
      // Missing roles do not block SCIM for ever: the rest serves, and status tells the gap.
      const isUnread = list === 'companyUsers' && UNREADABLE.has(reason.problem.code);
      const isGivenUp = isUnread && failuresMax === undefined && failures + 1 >= UNREADABLE_MAX;
      if (reason.verdict !== 'forbidden' && !isGivenUp) return reason;
      // The section comes first: a refused list must never look open.
      await saveSection(deps, toSection(list), reason.problem);
      restartSection(reading, toSection(list), 'refused');
    }
    await onEnd?.(list);
    return undefined;
  } catch (error) {
    // What was not stored as read is read again.
    reading.lists[list] = { state: 'open', count: 0 };
    return toFailure(run, error);
  }
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
  if (section !== 'groups' && reading.lists.members.state === 'done')
    restartSection(reading, 'groups');
}

/** Asks closed sections again: one that was never read is to be read now, another costs one cheap call. */
export async function recheckSections({ deps, reading }: ReadRun): Promise<void> {
  const sections = await readSections(deps);
  for (const section of ['users', 'companyUsers', 'groups'] as const) {
    const isUnread = listsOf(section).some((list) => reading.lists[list].state === 'refused');
    const problem = sections[section]?.problem;
    if (isUnread) restartSection(reading, section);
    else if (problem) await isSectionUp(deps, section, problem);
  }
}
