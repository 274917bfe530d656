import { isWaiting, toEcho } from '../../domain/cell.ts';
import { seeEntities } from '../../domain/entity.ts';
import { countAttempts, findFailed, isStuck } from '../../domain/failure.ts';
import type { GroupState, ObservedGroup } from '../../domain/kinds.ts';
import { isAnotherGroup, withCreated } from '../../domain/kinds.ts';
import { isNameKept, isSameSpelt, normaliseName, toSpelling } from '../../domain/name.ts';
import { isNotApplied, parseKnown, toOwnRefusal } from '../../domain/values.ts';
import type { Field, Values } from '../../plan/step.ts';
import { listParts } from '../../plan/step.ts';
import type { SeenLinks } from '../../store/links/links.ts';
import { changeLinks, hasLink, observeLinks } from '../../store/links/links.ts';
import { findLinked, listWaitingGroups } from '../../store/resources/find.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Classified, Known, Outcome } from '../outcome.ts';
import { MISSING, WITHOUT_UID } from '../outcome.ts';
import { findDoubt, findOwnAccount, lookSurely } from '../sections.ts';
import type { StepCall, StepMakers } from '../step-call.ts';
import { assertAbout, readBack, search, toTaken } from '../step-call.ts';
import {
  changeEntity,
  changeLink,
  changeMembers,
  explainEntity,
  explainLink,
  fetchList,
  fetchMemberIds,
  findScimId,
  isolate,
  parseScimGroupOf,
} from './lists.ts';

type GroupCall = StepCall<GroupState>;

const section = 'groups';

/** The steps of a group: one call each, but for a creation, a batch or a look. */
export const GROUP_STEPS: StepMakers<GroupState> = {
  look: { section, make: ({ deps, state }) => lookAtGroup(deps, state) },
  create: { section, make: createGroup, rescue: resolveConflict },
  update: { section, make: withUid(updateGroup), rescue: resolveConflict },
  remove: { section, make: withUid(removeGroup) },
  members: { section, make: changeMembers, rescue: isolate },
  link: { section, make: changeLink, rescue: explainLink },
  'list-entities': { section, make: withUid(listEntities) },
  entity: { section, make: withUid(changeEntity), rescue: explainEntity },
};

/** A step by calls that need the REST uid. */
function withUid(make: (call: GroupCall, uid: string) => Promise<Outcome>) {
  return async (call: GroupCall): Promise<Outcome> => {
    const { upstream_uid: uid } = call.state;
    return uid === null ? WITHOUT_UID : make(call, uid);
  };
}

async function listEntities({ deps }: GroupCall, uid: string): Promise<Outcome> {
  return { kind: 'done', known: await fetchList(deps, uid, 'entities') };
}

/** Creates the group through REST, because its answer carries both ids. @throws UpstreamError */
async function createGroup({ deps, state, values }: GroupCall): Promise<Outcome> {
  const { displayName: name = '' } = values;
  const args = { body: { name, ...toRestFlags(values) } };
  const group = parseRestGroup(await deps.upstream.call(groups.createGroup, args));
  const { id: upstream_id, uid: upstream_uid } = group;
  const isNamed = isSameSpelt(name, group.name);
  const holder = isNamed ? undefined : await findLinked(deps.store.read, 'group', { upstream_uid });
  assertAbout('REST group', holder?.id ?? state.id, state.id);
  const observed = observeRest(deps, group, groups.createGroup);
  // Of another name it is not known yet that the service makes it of this one: the next step sends it again.
  const echo = isNamed ? toNameEcho(name, group) : {};
  const ids = { upstream_id, upstream_uid };
  return { kind: 'done', known: { ids, group: observed, done: ['existence'], ...echo } };
}

/** Finds out about the group that has the name: to be renamed, adopted, in the way, or made by a create that was lost. */
async function resolveConflict(call: GroupCall, failed: Classified): Promise<Outcome | undefined> {
  if (failed.verdict !== 'conflict') return undefined;
  const leaving = await awaitName(call);
  if (leaving !== undefined) return leaving;
  const { deps, state, step, values } = call;
  if (step.kind === 'create') {
    const [group, ...others] = await findGroups(deps, [values.displayName ?? '']);
    if (group !== undefined && others.length > 0) return undefined;
    if (group !== undefined) {
      const { known } = await lookThroughRest(deps, group.uid);
      return { kind: 'done', known: { ...known, adopted: true } };
    }
  }
  // It counts as refused the second time: who had the name may have given it up since, or a lost create has it.
  const mayBeFree = state.sent_creates.length > 0 || countAttempts(state.cells) === 0;
  return mayBeFree ? { kind: 'later', problem: failed.problem, parts: listParts(step) } : undefined;
}

/** Outcome of a call that needs the name that another group of the service is about to give up. */
export const NAME_LEAVING = {
  kind: 'later',
  problem: { code: 'name-leaving', words: 'another group still has this name and gives it up' },
} as const;

/** A name that another group is about to give up is "not yet", and no conflict. */
async function awaitName({ deps, values }: GroupCall): Promise<Outcome | undefined> {
  const { displayName = '' } = values;
  const rows = await listWaitingGroups(deps.store.read);
  const isLeaving = rows.some(({ deleted_at, cells, observed }) => {
    const change = deleted_at === null ? cells.displayName : cells.existence;
    const isItsName = isSameSpelt(observed?.displayName ?? '', displayName);
    // One whose removal or renaming was refused keeps the name for as long as anybody knows.
    return isItsName && isWaiting(change) && !isStuck(change?.failure);
  });
  return isLeaving ? NAME_LEAVING : undefined;
}

const FLAGS = ['permissions', 'addToCardsAndSpacesEnabled'] as const;

async function updateGroup(call: GroupCall, uid: string): Promise<Outcome> {
  const { deps, state, fields, values } = call;
  const { displayName: name } = values;
  const body = { ...(name === undefined ? {} : { name }), ...toRestFlags(values) };
  const answer = await deps.upstream.call(groups.updateGroup, { path: { uid }, body });
  const seen = answer === undefined ? undefined : parseRestGroup(answer);
  const hasAll = FLAGS.every((flag) => values[flag] === undefined || seen?.[flag] !== undefined);
  const shown = seen && hasAll ? seen : await readBack(() => readGroup(deps, uid));
  assertAbout('REST group', shown.uid, uid);
  const group = observeRest(deps, shown, groups.updateGroup);
  const sent = { sent: name ?? '', back: shown.name };
  // A field that kept its old value was not changed.
  const kept = FLAGS.filter((flag) => (shown[flag] ?? values[flag]) !== values[flag]);
  const isNamed = !isNameKept(state.observed?.displayName, sent, isSameSpelt);
  const isMade = (field: Field) =>
    field === 'displayName' ? isNamed : !kept.some((flag) => flag === field);
  const echo = name === undefined ? {} : toNameEcho(name, shown);
  return toTaken(fields, isMade, { group, done: fields, ...echo });
}

const toNameEcho = (sent: string, shown: RestGroup) =>
  toEcho(normaliseName(sent), normaliseName(shown.name));

function toRestFlags({ permissions, addToCardsAndSpacesEnabled }: Values) {
  return { permissions, add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled };
}

async function removeGroup({ deps, state }: GroupCall, uid: string): Promise<Outcome> {
  // "Not there" is looked at before it is believed.
  await deps.upstream.call(groups.removeGroup, { path: { uid } });
  if (!isNotApplied(findFailed(state.cells.existence)?.problem)) return MISSING;
  // The service said so before, and a list showed the group all the same.
  const seen = await readBack(() => lookAtGroup(deps, state));
  if (seen.kind !== 'done') return seen;
  return toTaken(['existence'], () => seen.known.missing === true, seen.known);
}

/** Looks at one group: name, flags, members. One that is gone is looked for under another id, as ids may be given anew. @throws UpstreamError */
export async function lookAtGroup(deps: ReconcileDeps, state: GroupState): Promise<Outcome> {
  const { observed, upstream_uid: uid, upstream_scim_id: scimId } = state;
  if (uid === null && scimId === null) return lookForCreated(deps, state);
  const { created, displayName = '' } = observed ?? {};
  async function findMoved(): Promise<Outcome> {
    const found = created ? await findGroups(deps, [displayName]) : [];
    const isMoved = (group: RestGroup) => group.uid !== uid && group.created === created;
    const [group, ...others] = found.filter(isMoved);
    return group && others.length === 0 ? lookThroughRest(deps, group.uid) : MISSING;
  }
  const look = async () => {
    if (uid === null) return lookThroughScim(deps, state);
    const seen = await lookThroughRest(deps, uid, scimId);
    return isAnotherGroup(observed, seen.known.group) ? findMoved() : seen;
  };
  return lookSurely(deps, 'groups', look, findMoved);
}

/** Looks for a group after a lost create, by the names that were sent. A group that another row has by now is not it. */
async function lookForCreated(deps: ReconcileDeps, state: GroupState): Promise<Outcome> {
  const { id, observed, desired, sent_creates } = state;
  const name = observed?.displayName ?? desired.displayName;
  const names = sent_creates.length > 0 ? sent_creates.map((sent) => sent.name) : [name];
  const free: RestGroup[] = [];
  for (const group of await findGroups(deps, names)) {
    const holder = await findLinked(deps.store.read, 'group', { upstream_uid: group.uid });
    const isFree = holder === undefined || holder.id === id || holder.origin === null;
    if (isFree) free.push(group);
  }
  const [group, ...others] = free;
  if (group === undefined) return (await findDoubt(deps, 'groups')) ?? { kind: 'done', known: {} };
  if (others.length === 0) return lookThroughRest(deps, group.uid);
  const problem = toOwnRefusal('several groups of the service have this name');
  return { kind: 'refused', parts: ['existence'], problem };
}

/** Finds the groups of these names: those alone that have one exactly, where a service that keeps letters apart has any. @throws UpstreamError */
async function findGroups(deps: ReconcileDeps, names: readonly string[]): Promise<RestGroup[]> {
  const isNamed = (toName: (name: string) => string) => {
    const wanted = new Set(names.map(toName));
    return ({ name }: RestGroup) => wanted.has(toName(name));
  };
  const list = { operation: groups.getListOfGroups, args: {}, parse: parseRestGroup };
  const found = await search(deps, { ...list, isMeant: isNamed(toSpelling) });
  const exact = found.filter(isNamed(normaliseName));
  return exact.length > 0 ? exact : found;
}

async function lookThroughScim(deps: ReconcileDeps, state: GroupState): Promise<Outcome> {
  const scimId = state.upstream_scim_id ?? '';
  const args = { path: { group_id: scimId } };
  const group = parseScimGroupOf(scimId, await deps.upstream.call(scim.getGroup, args));
  const seen = mergeGroup(state.observed, { scim: group }, deps.clock.now());
  const observed = { ...seen, by: scim.getGroup.id };
  return { kind: 'done', known: { group: observed, memberIds: group.memberIds } };
}

async function readGroup({ upstream }: ReconcileDeps, uid: string): Promise<RestGroup> {
  const group = parseRestGroup(await upstream.call(groups.getGroup, { path: { uid } }));
  assertAbout('REST group', group.uid, uid);
  return group;
}

async function lookThroughRest(deps: ReconcileDeps, uid: string, scimId: string | null = null) {
  const group = await readGroup(deps, uid);
  const observed = observeRest(deps, group, groups.getGroup);
  const ids = { upstream_id: group.id, upstream_uid: group.uid };
  const known = findScimId({ ...ids, upstream_scim_id: scimId }, deps.quirks.current().groupScimId);
  const memberIds = await fetchMemberIds(deps, { ...ids, upstream_scim_id: known ?? null });
  const seen = { ids, group: observed, memberIds, done: ['existence'] } as const;
  return { kind: 'done', known: seen } as const;
}

/** Merges what both interfaces show of a group. The name comes from SCIM where SCIM shows it, or once did; the rest from REST. */
export function mergeGroup(
  before: ObservedGroup | null | undefined,
  by: { readonly scim?: ScimGroup | undefined; readonly rest?: RestGroup | undefined },
  at: number,
): ObservedGroup {
  const { scim: shown, rest } = by;
  const list = groups.getListOfGroups.id;
  const { permissions, addToCardsAndSpacesEnabled } = rest ?? {};
  const isOfRest = before == null || before.by === list;
  return {
    ...(isOfRest ? { displayName: rest?.name ?? '', by: list } : before),
    ...(shown && { displayName: shown.displayName, shownAt: at, by: scim.getGroups.id }),
    ...parseKnown({ permissions, addToCardsAndSpacesEnabled }),
    ...withCreated(before, rest?.created),
    ...(rest && { listedAt: at }),
    at,
  };
}

/** Observation of a group in an answer of REST to this call. */
const observeRest = ({ clock }: ReconcileDeps, rest: RestGroup, { id: by }: { id: string }) => ({
  ...mergeGroup(undefined, { rest }, clock.now()),
  by,
});

/** Stores what a look by itself has shown of a group that was not changed meanwhile. `now` is epoch milliseconds. */
export async function observeGroup(
  tx: Db,
  row: GroupRow,
  { group, memberIds, adminIds, entities }: Known,
  { now, isFirst = false }: { readonly now: number; readonly isFirst?: boolean },
): Promise<void> {
  await updateRow(tx, row, {
    observed: group && { ...row.observed, ...group },
    entities,
    cells: entities && seeEntities(row.cells, entities),
    admins_read_at: adminIds && now,
  });
  if (memberIds) await observeMembers(tx, row, { memberIds, now, isFirst, from: 'group' });
  if (adminIds) await observeAdmins(tx, row, adminIds);
}

/** Stores the members of a group. Where they are shown and have changed, the ETag of the group changes. */
export async function observeMembers(
  tx: Db,
  row: GroupRow,
  { now, ...seen }: Parameters<typeof toSeenMembers>[1] & { readonly now: number },
): Promise<void> {
  const links = toSeenMembers(row, seen);
  const moved = await observeLinks(tx, row, links);
  // A managed group shows its desired members, whatever is seen.
  if (moved === 0 || links.baseline === 0) return;
  await updateRow(tx, row, { version: row.version + 1, modified_at: now });
}

/** Members of a newly adopted group belong to it, also when they are read later; later ones are not desired. The list of all groups may cut members short. */
export function toSeenMembers(
  row: GroupRow,
  seen: { memberIds: readonly number[]; isFirst: boolean; from: 'list' | 'group' },
): SeenLinks {
  const { memberIds, isFirst, from } = seen;
  const { origin } = row;
  // A short list must not pass for a removal that a provider asks for.
  const isUnsure = !isFirst && from === 'list' && origin !== null;
  return {
    list: 'member',
    upstreamUserIds: memberIds,
    baseline: origin === null ? null : origin === 'adopted' && isFirst ? 1 : 0,
    absent: isUnsure ? 'unknown' : 'out',
    // A call whose outcome is unknown may have ended after the list was read: the look that follows shows it.
    mayBeOld: row.must_look !== 0,
  };
}

/** Where a provider or a rule writes the admins, others are drift, but for our own account at first: it founds the group. */
async function observeAdmins(tx: Db, row: GroupRow, upstreamUserIds: readonly number[]) {
  const own = row.admins_read_at === null ? await findOwnAccount(tx) : null;
  // A rule finds others there at first, and leaves them.
  const isRuled = own === null && (await hasLink(tx, row, 'administered'));
  const baseline = isRuled || (row.admins_asked === 1 && own !== undefined) ? 0 : null;
  // A list of nobody ends no removal: the service may hide them.
  const mayBeOld = upstreamUserIds.length === 0;
  await observeLinks(tx, row, { list: 'admin', upstreamUserIds, baseline, mayBeOld });
  if (typeof own !== 'number') return;
  await changeLinks(tx, row, { list: 'admin' }, (link) => {
    const isOurs = link.upstreamUserId === own && link.desired === 0 && !isWaiting(link);
    return isOurs ? { ...link, desired: null } : link;
  });
}
