import { setImmediate as nextTurn } from 'node:timers/promises';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import {
  countMembersOfGroups,
  readMembersOfGroups,
  streamMembers,
} from '../../store/links/shown.ts';
import {
  type ListedUser,
  listUsersOfGroups,
  type ResourceView,
} from '../../store/resources/views.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { Filter } from '../filter/tree.ts';
import { collectWitnesses } from '../filter/witnesses.ts';
import { isIncluded, isPlain, isWholly, type Projection, project } from '../render/projection.ts';
import { type Pieces, renderGroup, toUserEntry } from '../render/resource-text.ts';

/** Groups whose users are read at once; other requests are served in between. */
const AT_ONCE = 10;
/** Most members of each group that is read with others; a larger one is read by itself, in pieces. */
const MEMBERS_AT_ONCE = 500;

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
      groups.push(typeof one === 'string' ? JSON.parse(one) : await loadLarge(deps, one, filter));
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
  return read.map((one) => (typeof one === 'string' ? one : renderLarge(deps, one)));
}

/** Reads a few groups together; one of many members comes without them. */
async function readFew(
  deps: ProviderDeps,
  views: readonly ResourceView<GroupId>[],
  projection: Projection,
): Promise<(string | GroupParts)[]> {
  const ids = views.map(({ id }) => id);
  const { read } = deps.store;
  const admins = isIncluded(projection, GROUP_EXTENSION)
    ? Map.groupBy(await listUsersOfGroups(read, 'group_admins', ids), ({ owner }) => owner)
    : undefined;
  const showsMembers = isIncluded(projection, 'members');
  // One group alone is read in pieces whatever its size, which costs no question more.
  const counts = showsMembers && ids.length > 1 ? await countMembersOfGroups(read, ids) : undefined;
  const isSmall = (id: GroupId) => counts !== undefined && (counts.get(id) ?? 0) <= MEMBERS_AT_ONCE;
  const members = showsMembers
    ? await readMembersOfGroups(read, ids.filter(isSmall), toUsersUrl(deps))
    : undefined;
  const groups: (string | GroupParts)[] = [];
  for (const view of views) {
    const parts = { view, admins: admins?.get(view.id), projection };
    const isLarge = showsMembers && !isSmall(view.id);
    groups.push(isLarge ? parts : renderSmall(deps, { ...parts, members }));
  }
  return groups;
}

/** A group and what belongs into its answer. */
interface GroupParts {
  readonly view: ResourceView<GroupId>;
  readonly admins: readonly ListedUser[] | undefined;
  readonly projection: Projection;
}

function renderSmall(
  deps: ProviderDeps,
  { view, admins, members, projection }: GroupParts & { members: Map<string, string> | undefined },
): string {
  const text = renderGroup(view, members && (members.get(view.id) ?? ''), deps);
  if (admins === undefined && isPlain(projection)) return text;
  return JSON.stringify(project(withAdmins(deps, JSON.parse(text), admins), projection));
}

/** A group of any number of members, read and written page by page. */
async function* renderLarge(
  deps: ProviderDeps,
  { view, admins, projection }: GroupParts,
): AsyncGenerator<string> {
  const rest = withAdmins(deps, JSON.parse(renderGroup(view, undefined, deps)), admins);
  yield JSON.stringify(project(rest, projection)).slice(0, -1);
  const showsAll = isWholly(projection, 'members');
  let isFirst = true;
  for await (const page of streamMembers(deps.store.read, view.id, toUsersUrl(deps))) {
    const items = showsAll ? page : projectMembers(page, projection);
    if (items === '') continue;
    yield `${isFirst ? ',"members":[' : ','}${items}`;
    isFirst = false;
  }
  if (!isFirst) yield ']}';
  else yield showsAll ? ',"members":[]}' : '}';
}

/** A group of any number of members, read page by page, with the members that decide the filter. */
async function loadLarge(
  deps: ProviderDeps,
  { view, admins }: GroupParts,
  filter: Filter | undefined,
): Promise<JsonObject> {
  const rest = withAdmins(deps, JSON.parse(renderGroup(view, undefined, deps)), admins);
  const witnesses = collectWitnesses(filter, 'members');
  for await (const page of streamMembers(deps.store.read, view.id, toUsersUrl(deps))) {
    if (!parseMembers(page).every((member) => witnesses.look(member))) break;
    await nextTurn();
  }
  return { ...rest, members: witnesses.list() };
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
  const list = admins.map((admin) => toUserEntry(context, admin));
  return {
    ...resource,
    schemas: schemas.includes(GROUP_EXTENSION) ? schemas : [...schemas, GROUP_EXTENSION],
    [GROUP_EXTENSION]: { ...extension, admins: list },
  };
}
