import { isDeepStrictEqual } from 'node:util';
import type { LinkList } from '../../domain/link.ts';
import { writeLink } from '../../domain/link.ts';
import type { Owned } from '../../domain/provider.ts';
import type { JsonObject, UserId } from '../../domain/values.ts';
import { groupId, userId } from '../../domain/values.ts';
import { findTerms } from '../../store/credentials.ts';
import { listLinks } from '../../store/links/links.ts';
import { findStrangers } from '../../store/resources/find.ts';
import { findNames } from '../../store/resources/names.ts';
import type { GroupRow, ResourceRow } from '../../store/resources/rows.ts';
import { streamShown } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import type { ResourceInput } from '../dialect/parse-body.ts';
import type { PatchStep } from '../dialect/to-steps.ts';
import { findPlace } from '../dialect/to-steps.ts';
import { invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { parseShown, toEntry } from '../render/resources.ts';
import type { RepairKind, Repairs } from '../repairs.ts';
import { attempt } from '../repairs.ts';
import type { Asked, EditedLink, ListEdit, ListPlan } from './kind.ts';
import { foldEdits } from './kind.ts';
import type { ListChange } from './protect-group.ts';
import { findKept, stillAdmin } from './protect-group.ts';

interface Edits {
  readonly row: ResourceRow;
  readonly asked: Asked;
  readonly version: number;
  /** Takes the refusals of people who are not known. */
  readonly repairs: Repairs;
}

/** Applies the edits of a request in order. Reads just the users that are named; only `replace` reads all. @throws ScimError 400, 403 where a protected admin would leave */
export async function planLists(tx: Db, deps: ScimDeps, request: Edits): Promise<ListPlan> {
  const { row, asked } = request;
  const edited: EditedLink[][] = [];
  const inner = new Set<string>(row.inner_groups);
  let inner_groups = row.inner_groups;
  for (const [list, sent] of Map.groupBy(asked.edits, (edit) => edit.list)) {
    if (row.type === 'user') continue;
    const { edits, groups } = await keepKnown(tx, row, list, { ...request, edits: sent });
    const joining = asked.onlyRemoves ? groups.filter((id) => inner.has(id)) : groups;
    if (list === 'member') inner_groups = editInner(row, sent, joining);
    const known = await listLinks(tx, row, { list, userIds: listNamed(edits) });
    // Whom nobody was seen to have put in may have come since, but for those without an account.
    const seen = new Set(known.map(({ userId }) => userId));
    const leaving = edits.flatMap(({ op, ids }) => (op === 'remove' ? ids : []));
    const unseen = leaving.filter((id) => !seen.has(id));
    const strangers = await findStrangers(tx, row, unseen);
    const change = { row, list, edits, known };
    const kept = await findKept(tx, deps, change);
    attempt(request.repairs, undefined, () => {
      if (list === 'admin' && kept.size > 0) throw stillAdmin();
    });
    edited.push(editList(change, kept.union(strangers), request));
  }
  const links = edited.flat();
  const last = asked.edits.findLast(({ list }) => list === 'admin');
  const releasesAdmins = last?.op === 'replace' && last.ids.length === 0;
  const admins_asked = releasesAdmins ? 0 : changesAdmins(links) ? 1 : row.admins_asked;
  const removed = links.filter(({ after }) => after.desired === 0);
  const isKept = admins_asked === row.admins_asked && inner_groups === row.inner_groups;
  return {
    links,
    columns: { admins_asked, inner_groups },
    isSame: links.length === 0 && isKept,
    waits: links.some(({ after }) => after.pending !== undefined),
    removes: removed.length > 0 || !inner.isSubsetOf(new Set<string>(inner_groups)),
    demotes: removed.some(({ list }) => list === 'admin'),
    releasesAdmins: releasesAdmins || admins_asked < row.admins_asked,
  };
}

/** True when the provider owns the list of admins from now on: it changes it, and not by emptying it. @see RFC 7643 §2.5 (empty means unassigned) */
function changesAdmins(links: readonly EditedLink[]): boolean {
  return links.some(({ list, before, after }) => {
    const wasShown = (before?.desired ?? before?.observed) === 1;
    return list === 'admin' && wasShown !== (after.desired === 1);
  });
}

/** Finds out which of the ids that edits add are users, and which are groups that may be members. @throws ScimError 400 for others */
async function keepKnown(
  tx: Db,
  row: GroupRow,
  list: LinkList,
  { edits, asked, repairs }: Pick<Edits, 'asked' | 'repairs'> & Pick<Asked, 'edits'>,
): Promise<Pick<Asked, 'edits'> & { readonly groups: readonly string[] }> {
  const ids = [...new Set(edits.flatMap(({ op, ids: some }) => (op === 'remove' ? [] : some)))];
  const existing = await findNames(tx, ids, 'user');
  const others = ids.filter((id) => !existing.has(id));
  if (others.length === 0) return { edits, groups: [] };
  const found = await findNames(tx, others, 'group');
  const { unknownMembers, nestedGroups } = await findTerms(tx, row.provider);
  const leaveOut = (some: readonly UserId[], skipped: RepairKind | false, what: string) => {
    const [first, ...more] = some;
    if (skipped) for (const _ of some) repairs.count(skipped);
    if (skipped || first === undefined) return;
    const verb = more.length === 1 ? 'is' : 'are';
    const rest = more.length === 0 ? '' : `, nor ${verb} ${more.length} more`;
    attempt(repairs, undefined, () => {
      throw invalidValue(`${asked.placeOf(list, first)} ${what}${rest}.`);
    });
  };
  const strangers = others.filter((id) => !found.has(id));
  const skipsStrangers = unknownMembers === 'skip' && 'unknown-member-dropped';
  leaveOut(strangers, skipsStrangers, 'is not the id of a User');
  const flattens = nestedGroups === 'flatten' && list === 'member';
  const isOwn = ({ origin, provider }: Owned) => origin !== null && provider === row.provider;
  const groups = [...found.values()].flatMap((group) => (flattens && isOwn(group) ? group.id : []));
  const nested = others.filter((id) => found.has(id) && !groups.includes(groupId(id)));
  const why = flattens ? ' that this provider does not manage' : ', not of a User';
  const skipsNested = nestedGroups === 'skip' && 'nested-group-dropped';
  leaveOut(nested, skipsNested, `is the id of a Group${why}`);
  const known = edits.map((edit) =>
    edit.op === 'remove' ? edit : { ...edit, ids: edit.ids.filter((id) => existing.has(id)) },
  );
  return { edits: known, groups };
}

const INNER_GROUPS_MAX = 1_000;

/** The inner groups of a group after edits of its members; the same list where nothing changes. @param groups those that may join @throws ScimError 400 for too many */
function editInner(row: GroupRow, edits: readonly ListEdit[], groups: readonly string[]) {
  const inner = new Set<string>(row.inner_groups);
  for (const { op, ids } of edits) {
    if (op === 'replace') inner.clear();
    for (const id of ids) {
      if (op === 'remove') inner.delete(id);
      else if (groups.includes(id)) inner.add(id);
    }
  }
  if (inner.size > INNER_GROUPS_MAX)
    throw invalidValue(`A group has at most ${INNER_GROUPS_MAX} groups as members.`);
  const after = [...inner].map(groupId);
  return isDeepStrictEqual(after, row.inner_groups) ? row.inner_groups : after;
}

/** The users that edits name; undefined: all, for a replacement. */
function listNamed(edits: readonly ListEdit[]): UserId[] | undefined {
  const replaces = edits.some(({ op }) => op === 'replace');
  return replaces ? undefined : [...new Set(edits.flatMap(({ ids }) => ids))];
}

function editList(
  { row, list, edits, known }: ListChange,
  keeps: ReadonlySet<UserId>,
  { asked, version }: Edits,
): EditedLink[] {
  const isUnsure = row.must_look !== 0;
  const before = new Map(known.map((link) => [link.userId, link]));
  const wanted = [...foldEdits(edits, known)].filter(([id, isWanted]) =>
    isWanted ? !asked.onlyRemoves : !keeps.has(id),
  );
  return wanted.flatMap(([userId, isWanted]): EditedLink[] => {
    const link = before.get(userId);
    // Whom only an inner group wants is no member by name, until a provider names the user.
    const inner = list === 'member' && link?.by_rule === 1 ? { ...link, by_rule: 0 } : undefined;
    if (inner && !isWanted) return [];
    const after = writeLink(link, { version, isUnsure, wanted: isWanted }) ?? inner;
    return after === undefined ? [] : [{ list, userId, before: link ?? null, after }];
  });
}

/** The ids of a request as the bridge's own, also where they are of an earlier server. Unknown ones are found out later. */
function toUserIds({ toOwnId }: Pick<ScimDeps, 'toOwnId'>, ids: Iterable<string>): UserId[] {
  // An id that no user had may be a group's.
  return Array.from(ids, (id) => userId(toOwnId('group', toOwnId('user', id))));
}

/** What a whole body asks: its users are added by a POST; a PUT with a list replaces it, `[]` empties it. */
export function toBodyAsked(
  deps: Pick<ScimDeps, 'toOwnId'>,
  op: 'add' | 'replace',
  { steps, mentioned: names }: ResourceInput,
  attributes: JsonObject,
): Asked {
  const edits = steps.flatMap((step): ListEdit[] => {
    if (step.kind !== 'users' || (op === 'add' && step.ids.size === 0)) return [];
    return [{ list: step.list, op, ids: toUserIds(deps, step.ids.keys()) }];
  });
  return { attributes, names, edits, placeOf: (list, id) => findPlace(steps, list, id) };
}

/** The edits that a PATCH makes of a group's lists, in order. Reads the users of the group only where a filter asks for them. */
export async function toStepEdits(
  tx: Db,
  deps: Pick<ScimDeps, 'baseUrl' | 'toOwnId'>,
  row: ResourceRow,
  steps: readonly PatchStep[],
): Promise<ListEdit[]> {
  const edits: ListEdit[] = [];
  const found = new Map<LinkList, Promise<Map<Filter, UserId[]>>>();
  for (const step of steps) {
    if (row.type === 'user' || (step.kind !== 'users' && step.kind !== 'users-where')) continue;
    const { list } = step;
    if (step.kind === 'users') {
      edits.push({ list, op: step.op, ids: toUserIds(deps, step.ids.keys()) });
      continue;
    }
    const own = edits.filter((edit) => edit.list === list);
    const wasReplaced = own.some(({ op }) => op === 'replace');
    const looked = found.get(list) ?? findListed(tx, deps, row, { list, steps });
    found.set(list, looked);
    const listed = wasReplaced ? [] : ((await looked).get(step.filter) ?? []);
    const named = [...foldEdits(own)].flatMap(([id, isIn]) => (isIn ? [id] : []));
    const users = await findNames(tx, named, 'user');
    const added = [...users.values()].filter((user) => matches(step.filter, toEntry(deps, user)));
    edits.push({ list, op: 'remove', ids: [...listed, ...added.map(({ id }) => id)] });
  }
  return edits;
}

/** Finds the users of a list whom each filter names, in one look, some thousands at a time. Each user is of the first filter that does. */
async function findListed(
  tx: Db,
  deps: Pick<ScimDeps, 'baseUrl'>,
  row: GroupRow,
  { list, steps }: { readonly list: LinkList; readonly steps: readonly PatchStep[] },
): Promise<Map<Filter, UserId[]>> {
  const filters = steps.flatMap((step) =>
    step.kind === 'users-where' && step.list === list ? [step.filter] : [],
  );
  const ids = new Map<Filter, UserId[]>(filters.map((filter) => [filter, []]));
  const note = (entry: JsonObject, id: string) => {
    const first = filters.find((filter) => matches(filter, entry));
    if (first) ids.get(first)?.push(userId(id));
  };
  const shown = { list, usersUrl: `${deps.baseUrl}/Users` };
  for await (const page of streamShown(tx, row.seq, shown)) {
    for (const user of parseShown(page)) note(user, String(user.value));
  }
  const inner = await findNames(tx, list === 'member' ? row.inner_groups : [], 'group');
  for (const group of inner.values()) note(toEntry(deps, group, 'Group'), group.id);
  return ids;
}
