import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeKind } from '../../domain/change.ts';
import { toCallId } from '../../store/audit/events.ts';
import type { OwnCallRow } from '../../store/audit/own-calls.ts';
import { KINDS } from './event-actions.ts';
import type { EventNames, Subject } from './event-names.ts';

/** Event of the audit log with the resources that it names. */
export interface NamedEvent {
  /** Known action that it stands for, or its own. */
  readonly action: string;
  /** True when the author is known to be another account than the one behind our own token. */
  readonly isByOthers: boolean;
  /** Epoch milliseconds, as near to our own clock as is known. */
  readonly at: number;
  /** Texts of the event that may be an id or a name. */
  readonly names: EventNames;
  /** Managed users and groups that it names, by their SCIM ids. */
  readonly resourceIds: ReadonlySet<string>;
}

/** Largest distance between the time of an event and that of its call, in milliseconds. */
interface Tolerance {
  /** Allowance for a service whose clock is behind ours. */
  readonly beforeMs: number;
  /** Allowance for the duration of the call, and for a service whose clock is ahead. */
  readonly afterMs: number;
  /** Largest distance between events of one call: a creation and its consequences happen at the same moment. */
  readonly spreadMs: number;
}

/** Clocks may differ by a minute; a call with its repeats takes less than one. */
export const TOLERANCE: Tolerance = { beforeMs: 60_000, afterMs: 120_000, spreadMs: 3_000 };

/** Input of comparing events with the ledger. */
interface Matching {
  readonly tolerance: Tolerance;
  /** Uses of calls by events that were compared before, with their times. */
  readonly used: ReadonlyMap<string, number>;
}

/** Event with its explanation. */
export interface ExplainedEvent<E extends NamedEvent> {
  readonly event: E;
  /** Use of a call of the ledger; undefined when no call explains the event. */
  readonly use: string | undefined;
}

/** Work that tells after each piece how many pairs it has compared. */
type Work<T> = Generator<number, T, undefined>;

/** Pairs that are compared before others get a turn of the event loop. */
const PAIRS_MAX = 5_000;

/** Compares events, some at a time: an import has thousands of them. */
export async function compareInTurns<T>(work: Work<T>): Promise<T> {
  for (let compared = 0; ; ) {
    const piece = work.next();
    if (piece.done) return piece.value;
    compared += piece.value;
    if (compared < PAIRS_MAX) continue;
    compared = 0;
    await nextTurn();
  }
}

/**
 * Matches events with the calls of the ledger that explain them. One call explains one event of each action, all of one
 * moment: a second equal event needs a second call.
 * Events by other authors are never explained. Both lists are oldest first.
 */
export function* explainEvents<E extends NamedEvent>(
  events: readonly E[],
  calls: readonly OwnCallRow[],
  { tolerance, used: usedBefore }: Matching,
): Work<ExplainedEvent<E>[]> {
  const used = new Set(usedBefore.keys());
  const moments = toMoments(usedBefore);
  const listCandidates = indexCalls(mergeRepeats(calls), tolerance);
  const explained: ExplainedEvent<E>[] = [];
  for (const event of events) {
    const candidates = event.isByOthers ? [] : listCandidates(event);
    yield 1 + candidates.length;
    const isOfMoment = ({ id }: OwnCallRow) =>
      Math.abs((moments.get(id) ?? event.at) - event.at) <= tolerance.spreadMs;
    const isFit = (row: MergedCall) =>
      explains(row, event, tolerance) && isOfMoment(row) && !used.has(toUse(row, event));
    const call = findNearest(candidates.filter(isFit), event.at);
    const use = call && toUse(call, event);
    explained.push({ event, use });
    if (call === undefined || use === undefined) continue;
    used.add(use);
    if (!moments.has(call.id)) moments.set(call.id, event.at);
  }
  return explained;
}

/** The call nearest to the time; of equally near ones the first. */
function findNearest(calls: readonly MergedCall[], at: number): MergedCall | undefined {
  let nearest: MergedCall | undefined;
  for (const call of calls) {
    const isNearer = !nearest || Math.abs(call.at - at) < Math.abs(nearest.at - at);
    if (isNearer) nearest = call;
  }
  return nearest;
}

/** Collects the time of the first event that each call explains, by the id of the call. */
function toMoments(used: ReadonlyMap<string, number>): Map<number, number> {
  const moments = new Map<number, number>();
  for (const [use, at] of used) {
    const id = toCallId(use);
    moments.set(id, Math.min(at, moments.get(id) ?? at));
  }
  return moments;
}

/** Call of the ledger with earlier calls of the same change whose outcome is not known. */
interface MergedCall extends OwnCallRow {
  readonly firstAt: number;
}

function mergeRepeats(calls: readonly OwnCallRow[]): MergedCall[] {
  const merged = new Map<number, MergedCall>();
  const last = new Map<string, MergedCall>();
  for (const call of calls) {
    const key = [call.kind, call.resourceId, call.memberId].join('|');
    const before = call.kind === null ? undefined : last.get(key);
    const isRepeat = before !== undefined && before.outcome !== 'done';
    if (isRepeat) merged.delete(before.id);
    const one = { ...call, firstAt: isRepeat ? before.firstAt : call.at };
    merged.set(call.id, one);
    last.set(key, one);
  }
  return [...merged.values()];
}

/** Lists the events that no call of the ledger explains; both lists are oldest first. */
export function* listUnexplained(
  events: readonly NamedEvent[],
  calls: readonly OwnCallRow[],
  tolerance: Tolerance,
): Work<NamedEvent[]> {
  const explained = yield* explainEvents(events, calls, { tolerance, used: new Map() });
  return explained.flatMap(({ event, use }) => (use === undefined ? [event] : []));
}

/** Kinds of calls that no known action stands for. */
const UNSEEN_KINDS: ReadonlySet<ChangeKind | null> = new Set([
  null,
  'user.rename',
  'user.address',
  'group.rename',
  'group.permissions',
  'entity.add',
  'entity.change',
  'entity.remove',
]);

/**
 * Matches events that name no resource with the calls of the ledger by count: as many as calls may have caused this
 * action at that time. Both lists are oldest first.
 */
export function* explainByCount<E extends NamedEvent>(
  events: readonly E[],
  calls: readonly OwnCallRow[],
  { tolerance, used: usedBefore }: Matching,
): Work<ExplainedEvent<E>[]> {
  const used = new Set([...usedBefore.keys()].map((use) => use.split('|', 2).join('|')));
  const merged = mergeRepeats(calls).toSorted((a, b) => a.firstAt - b.firstAt);
  /** Of each action the first call that may still explain one: calls before it are used, or too old. */
  const next = new Map<string, number>();
  const explained: ExplainedEvent<E>[] = [];
  for (const event of events) {
    let index = next.get(event.action) ?? 0;
    let use: string | undefined;
    for (; use === undefined && index < merged.length && !event.isByOthers; index += 1) {
      yield 1;
      const call = merged[index];
      if (call === undefined || event.at < call.firstAt - tolerance.beforeMs) break;
      const count = `${call.id}|${event.action}`;
      const isFit = isNear(call, event, tolerance) && mayShow(call, event) && !used.has(count);
      if (isFit) use = count;
    }
    next.set(event.action, index);
    explained.push({ event, use });
  }
  return explained;
}

function mayShow({ kind }: OwnCallRow, { action }: NamedEvent): boolean {
  const kinds: readonly (ChangeKind | null)[] | undefined = KINDS.get(action);
  return kinds?.includes(kind) ?? UNSEEN_KINDS.has(kind);
}

function isNear(call: MergedCall, event: NamedEvent, { beforeMs, afterMs }: Tolerance): boolean {
  return event.at >= call.firstAt - beforeMs && event.at <= call.at + afterMs;
}

/**
 * Indexes calls by name, because an import has thousands and few of them name the same. The found calls are oldest
 * first.
 */
function indexCalls(
  calls: readonly MergedCall[],
  { beforeMs, afterMs }: Tolerance,
): (event: NamedEvent) => MergedCall[] {
  const longestMs = calls.reduce((max, { at, firstAt }) => Math.max(max, at - firstAt), 0);
  const byName = new Map<string, number[]>();
  const byGroup = new Map<string, number[]>();
  for (const [index, { resourceId, upstreamId = '', memberId }] of calls.entries()) {
    if (memberId !== undefined) append(byName, memberId, index);
    const ofResource = memberId === undefined ? byName : byGroup;
    for (const name of [resourceId, upstreamId]) append(ofResource, name, index);
  }
  return (event) => {
    const maps = hasMember(event) ? [byName] : [byName, byGroup];
    const named = [...event.names.keys(), ...event.resourceIds];
    const [from, to] = [event.at - afterMs, event.at + beforeMs + longestMs];
    const found = maps.flatMap((map) =>
      named.flatMap((name) => listBetween(map.get(name) ?? [], calls, { from, to })),
    );
    return found.sort((a, b) => a - b).flatMap((index) => calls[index] ?? []);
  };
}

/** The rising indexes of calls within the times. */
function listBetween(
  indexes: readonly number[],
  calls: readonly MergedCall[],
  { from, to }: { readonly from: number; readonly to: number },
): number[] {
  const toAt = (place: number) => calls[indexes[place] ?? -1]?.at ?? Number.POSITIVE_INFINITY;
  let [start, end] = [0, indexes.length];
  while (start < end) {
    const middle = (start + end) >> 1;
    if (toAt(middle) < from) start = middle + 1;
    else end = middle;
  }
  let last = start;
  while (toAt(last) <= to) last += 1;
  return indexes.slice(start, last);
}

function append(map: Map<string, number[]>, name: string, index: number): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, [index]);
  else known.push(index);
}

function toUse({ id }: OwnCallRow, { action, resourceIds }: NamedEvent): string {
  return [id, action, ...[...resourceIds].sort()].join('|');
}

function explains(call: MergedCall, event: NamedEvent, tolerance: Tolerance): boolean {
  if (!isNear(call, event, tolerance)) return false;
  if (call.kind !== null && KINDS.get(event.action)?.includes(call.kind) === false) return false;
  const { upstreamId, memberId, resourceId } = call;
  const isResource =
    event.resourceIds.has(resourceId) ||
    (upstreamId !== undefined && listTypes(call).some((type) => mayName(event, type, upstreamId)));
  // A member who joined or left is named beside the group, where the event names users at all.
  const isMember = memberId === undefined || mayName(event, 'user', memberId);
  return isResource && (isMember || !hasMember(event));
}

/** Lists the types of resource that a call may be for: of a call by an operator only names are known. */
function listTypes({ kind }: OwnCallRow): Subject[] {
  if (kind === null) return ['user', 'group'];
  return kind.startsWith('user.') ? ['user'] : ['group'];
}

function mayName({ names }: NamedEvent, type: Subject, upstreamId: string): boolean {
  return names.get(upstreamId)?.has(type) === true;
}

/** True when the event names a member beside the group. */
export function hasMember({ resourceIds }: NamedEvent): boolean {
  return resourceIds.size > 1;
}
