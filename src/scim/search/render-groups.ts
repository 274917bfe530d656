import { setImmediate as nextTurn } from 'node:timers/promises';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { type MembersPart, readMembers } from '../../store/links/shown.ts';
import { findInnerGroups, parseInner } from '../../store/resources/nesting.ts';
import {
  type ListedUser,
  listUsersOfGroups,
  type ResourceView,
} from '../../store/resources/views.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { collectWitnesses } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { isIncluded, isPlain, isWholly, type Projection, project } from '../render/projection.ts';
import { type Pieces, renderGroup, toEntry } from '../render/resource-text.ts';

/** Groups that are read at once; other requests are served in between. */
const AT_ONCE = 10;

/** Groups as answers, some at a time, with their users only where the request asks for them. */
export async function* renderGroups(
  deps: ProviderDeps,
  views: readonly ResourceView<GroupId>[],
  projection: Projection,
): AsyncGenerator<Pieces[]> {
  for (let start = 0; start < views.length; start += AT_ONCE) {
    yield await renderFew(deps, views.slice(start, start + AT_ONCE), projection);
  }
}

/** Groups as resources for filters and orders, with their users only where those look at them. */
export async function loadGroups(
  deps: ProviderDeps,
  views: readonly ResourceView<GroupId>[],
  { projection, filter }: { projection: Projection; filter: Filter | undefined },
): Promise<JsonObject[]> {
  const groups: JsonObject[] = [];
  for (let start = 0; start < views.length; start += AT_ONCE) {
    for (const one of await readFew(deps, views.slice(start, start + AT_ONCE), projection)) {
      groups.push(isLarge(one) ? await loadLarge(deps, one, filter) : toDocument(deps, one));
    }
  }
  return groups;
}

/** A few groups as answers, which are read together. */
export async function renderFew(
  deps: ProviderDeps,
  views: readonly ResourceView<GroupId>[],
  projection: Projection,
): Promise<Pieces[]> {
  const read = await readFew(deps, views, projection);
  return read.map((one) => (isLarge(one) ? renderLarge(deps, one) : renderSmall(deps, one)));
}

/** A group and what belongs into its answer. */
interface GroupParts {
  readonly view: ResourceView<GroupId>;
  readonly admins: readonly ListedUser[] | undefined;
  /** The first members; undefined: they are not asked for. */
  readonly members: MembersPart | undefined;
  /** The inner groups as members, as JSON text, joined by commas. */
  readonly inner: string;
  readonly projection: Projection;
}

function isLarge({ members }: GroupParts): boolean {
  return members?.next !== undefined;
}

/** Reads a few groups together; of many members it reads the first. */
async function readFew(
  deps: ProviderDeps,
  views: readonly ResourceView<GroupId>[],
  projection: Projection,
): Promise<GroupParts[]> {
  const ids = views.map(({ id }) => id);
  const { read } = deps.store;
  const admins = isIncluded(projection, GROUP_EXTENSION)
    ? Map.groupBy(await listUsersOfGroups(read, 'group_admins', ids), ({ owner }) => owner)
    : undefined;
  const showsMembers = isIncluded(projection, 'members');
  const inner = await readInner(deps, showsMembers ? views : []);
  const first = { after: 0, usersUrl: toUsersUrl(deps) };
  return Promise.all(
    views.map(async (view) => ({
      ...{ view, projection },
      admins: admins?.get(view.id),
      members: showsMembers ? await readMembers(read, view.id, first) : undefined,
      inner: inner.get(view.id) ?? '',
    })),
  );
}

/** The inner groups of each of these groups, as `GroupParts` has them. */
async function readInner(
  deps: ProviderDeps,
  views: readonly ResourceView<GroupId>[],
): Promise<Map<GroupId, string>> {
  const lists = views.map(
    ({ id, inner_groups = '[]' }) => [id, parseInner({ inner_groups })] as const,
  );
  const known = await findInnerGroups(
    deps.store.read,
    lists.flatMap(([, inner]) => inner),
  );
  const toText = (id: GroupId) => {
    const group = known.get(id);
    return group === undefined ? [] : JSON.stringify(toEntry(deps, group, 'Group'));
  };
  return new Map(lists.map(([id, inner]) => [id, inner.flatMap(toText).join(',')]));
}

function renderSmall(deps: ProviderDeps, parts: GroupParts): string {
  const { admins, projection } = parts;
  if (admins === undefined && isPlain(projection)) return toText(deps, parts);
  return JSON.stringify(project(toDocument(deps, parts), projection));
}

function toText(deps: ProviderDeps, { view, members, inner }: GroupParts): string {
  const all = members && [members.items, inner].filter((part) => part !== '').join(',');
  return renderGroup(view, all, deps);
}

/** A group with all its members. */
function toDocument(deps: ProviderDeps, parts: GroupParts): JsonObject {
  return withAdmins(deps, JSON.parse(toText(deps, parts)), parts.admins);
}

/** A group without its members. */
function toRest(deps: ProviderDeps, { view, admins }: GroupParts): JsonObject {
  return withAdmins(deps, JSON.parse(renderGroup(view, undefined, deps)), admins);
}

/** A group of any number of members, read and written part by part. */
async function* renderLarge(deps: ProviderDeps, parts: GroupParts): AsyncGenerator<string> {
  const { projection } = parts;
  yield JSON.stringify(project(toRest(deps, parts), projection)).slice(0, -1);
  const showsAll = isWholly(projection, 'members');
  let isFirst = true;
  for await (const page of streamAll(deps, parts)) {
    const items = showsAll ? page : projectMembers(page, projection);
    if (items === '') continue;
    yield `${isFirst ? ',"members":[' : ','}${items}`;
    isFirst = false;
  }
  if (!isFirst) yield ']}';
  else yield showsAll ? ',"members":[]}' : '}';
}

/** A group of any number of members, read part by part, with the members that decide the filter. */
async function loadLarge(
  deps: ProviderDeps,
  parts: GroupParts,
  filter: Filter | undefined,
): Promise<JsonObject> {
  const witnesses = collectWitnesses(filter, 'members');
  for await (const page of streamAll(deps, parts)) {
    if (!parseMembers(page).every((member) => witnesses.look(member))) break;
    await nextTurn();
  }
  return { ...toRest(deps, parts), members: witnesses.list() };
}

/** Members as text, part by part, and the inner groups behind them. */
async function* streamAll(
  deps: ProviderDeps,
  { view, members, inner }: GroupParts,
): AsyncGenerator<string> {
  const usersUrl = toUsersUrl(deps);
  for (let part = members; part !== undefined; ) {
    if (part.items !== '') yield part.items;
    const after: number | undefined = part.next;
    part =
      after === undefined
        ? after
        : await readMembers(deps.store.read, view.id, { after, usersUrl });
  }
  if (inner !== '') yield inner;
}

function parseMembers(page: string): JsonValue[] {
  return JSON.parse(`[${page}]`) as JsonValue[];
}

/** The members of a page with the parts that were asked for. */
function projectMembers(page: string, projection: Projection): string {
  const { members } = project({ members: parseMembers(page) }, projection);
  return members === undefined ? '' : JSON.stringify(members).slice(1, -1);
}

function toUsersUrl({ baseUrl }: Pick<ScimDeps, 'baseUrl'>): string {
  return `${baseUrl}/Users`;
}

/** The admin list lives in the extension, which is named in `schemas` as soon as it has a value. */
function withAdmins(
  context: Pick<ScimDeps, 'baseUrl'>,
  resource: JsonObject,
  admins: readonly ListedUser[] | undefined,
): JsonObject {
  if (admins === undefined) return resource;
  const held = resource[GROUP_EXTENSION];
  const extension = isJsonObject(held) ? held : {};
  const schemas = Array.isArray(resource.schemas) ? resource.schemas : [];
  const list = admins.map((admin) => toEntry(context, admin));
  return {
    ...resource,
    schemas: schemas.includes(GROUP_EXTENSION) ? schemas : [...schemas, GROUP_EXTENSION],
    [GROUP_EXTENSION]: { ...extension, admins: list },
  };
}
