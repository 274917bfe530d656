import { setImmediate as nextTurn } from 'node:timers/promises';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { LinkList } from '../../domain/link.ts';
import { readShown, type ShownUsers, streamShown } from '../../store/links/shown.ts';
import { findInnerGroups, parseInner } from '../../store/resources/nesting.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import type { ProviderDeps } from '../deps.ts';
import { collectWitnesses } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { isIncluded, isPlain, isWholly, type Projection, project } from '../render/projection.ts';
import {
  type Pieces,
  parseShown,
  renderGroup,
  toEntry,
  toUsersUrl,
} from '../render/resource-text.ts';

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
  /** Undefined: they are not asked for. */
  readonly admins: readonly JsonObject[] | undefined;
  /** The first members; undefined: they are not asked for. */
  readonly members: ShownUsers | undefined;
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
  const seqs = views.map(({ seq }) => seq);
  const { read } = deps.store;
  const usersUrl = toUsersUrl(deps);
  const readFirst = (list: LinkList) => readShown(read, seqs, { list, after: 0, usersUrl });
  const showsMembers = isIncluded(projection, 'members');
  const members = showsMembers ? await readFirst('member') : undefined;
  const admins = isIncluded(projection, GROUP_EXTENSION) ? await readFirst('admin') : undefined;
  const inner = await readInner(deps, showsMembers ? views : []);
  return Promise.all(
    views.map(async (view) => {
      const parts = {
        view,
        projection,
        members: members?.get(view.seq),
        inner: inner.get(view.id) ?? '',
      };
      if (admins === undefined) return { ...parts, admins };
      const shown = { list: 'admin', usersUrl } as const;
      const listed: JsonObject[] = [];
      for await (const page of streamShown(read, view.seq, shown, admins.get(view.seq))) {
        listed.push(...parseShown(page));
      }
      return { ...parts, admins: listed };
    }),
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
  return withAdmins(JSON.parse(toText(deps, parts)), parts.admins);
}

/** A group without its members. */
function toRest(deps: ProviderDeps, { view, admins }: GroupParts): JsonObject {
  return withAdmins(JSON.parse(renderGroup(view, undefined, deps)), admins);
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
    if (!parseShown(page).every((member) => witnesses.look(member))) break;
    await nextTurn();
  }
  return { ...toRest(deps, parts), members: witnesses.list() };
}

/** Members as text, part by part, and the inner groups behind them. */
async function* streamAll(
  deps: ProviderDeps,
  { view, members, inner }: GroupParts,
): AsyncGenerator<string> {
  const shown = { list: 'member', usersUrl: toUsersUrl(deps) } as const;
  yield* streamShown(deps.store.read, view.seq, shown, members);
  if (inner !== '') yield inner;
}

/** The members of a page with the parts that were asked for. */
function projectMembers(page: string, projection: Projection): string {
  const { members } = project({ members: parseShown(page) }, projection);
  return members === undefined ? '' : JSON.stringify(members).slice(1, -1);
}

/** The admin list lives in the extension, which is named in `schemas` as soon as it has a value. */
function withAdmins(resource: JsonObject, admins: readonly JsonObject[] | undefined): JsonObject {
  if (admins === undefined) return resource;
  const held = resource[GROUP_EXTENSION];
  const extension = isJsonObject(held) ? held : {};
  const schemas = Array.isArray(resource.schemas) ? resource.schemas : [];
  return {
    ...resource,
    schemas: schemas.includes(GROUP_EXTENSION) ? schemas : [...schemas, GROUP_EXTENSION],
    [GROUP_EXTENSION]: { ...extension, admins: [...admins] },
  };
}
