import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ResourceName } from '../../domain/extensions.ts';
import {
  GROUP_EXTENSION,
  toExtension,
  withExtension,
  withSchemas,
} from '../../domain/extensions.ts';
import type { LinkList } from '../../domain/link.ts';
import { isOfOther } from '../../domain/provider.ts';
import type { GroupId, JsonObject } from '../../domain/values.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { findNames } from '../../store/resources/names.ts';
import type { ResourceType } from '../../store/resources/rows.ts';
import * as views from '../../store/resources/views.ts';
import type { ProviderDeps } from '../deps.ts';
import type { ResourceSchema } from '../schema/resource-schemas.ts';
import { findValue } from '../schema/resource-schemas.ts';
import type { Projection } from './projection.ts';
import { EVERYTHING, isIncluded, isWholly, project } from './projection.ts';
import type { Cache, RenderedUser } from './user-cache.ts';

type Context = Pick<ProviderDeps, 'baseUrl' | 'provider' | 'schemas'>;

/** A user or group as it is shown. */
export type View = views.UserView | views.ResourceView<GroupId>;

type ShownGroup = Omit<RenderedUser, 'text'> & { readonly view: views.ResourceView<GroupId> };

/** A user or group for an answer. */
export type Shown = RenderedUser | ShownGroup;

/** A user or group for the answer to this provider. @param cache caches a user */
export function show(context: Context, view: View, cache?: Cache): Shown {
  const { id, seq } = view;
  const version = toShownVersion(view, context);
  if (!isUser(view)) return { id, seq, view, version };
  const user = { id, seq, version, text: renderUser(context, view, version) };
  if (!isOfOther(context.provider, view)) cache?.(user, view);
  return user;
}

/** Finds the live user or group with this id. */
export async function findShown(deps: ProviderDeps, type: ResourceType, id: string) {
  const { userCache, provider, store } = deps;
  const cached = type === 'user' && userCache?.find(id, provider);
  if (cached) return cached;
  const cache = userCache?.beginRead();
  const view: View | undefined = await views.findView(store.read, type, id);
  return view && show(deps, view, cache);
}

const USERS_AT_ONCE = 128;
const GROUPS_AT_ONCE = 10;

/** Answers as text, joined by commas, some at a time. Stored text is not parsed where all of it is asked for, because providers mostly read. */
export async function* renderAll(
  deps: ProviderDeps,
  all: readonly Shown[],
  projection: Projection,
): AsyncGenerator<string> {
  const atOnce = all[0] && 'text' in all[0] ? USERS_AT_ONCE : GROUPS_AT_ONCE;
  for (let start = 0; start < all.length; start += atOnce) {
    if (start > 0) {
      yield ',';
      await nextTurn();
    }
    const some = all.slice(start, start + atOnce);
    const users = some.filter((shown) => 'text' in shown);
    const toText = ({ text }: RenderedUser) =>
      projection === EVERYTHING ? text : JSON.stringify(project(JSON.parse(text), projection));
    if (users.length > 0) yield users.map(toText).join();
    const groups = some.filter((shown) => 'view' in shown);
    if (groups.length > 0) yield* renderGroups(deps, groups, projection);
  }
}

function isUser(view: View): view is views.UserView {
  return 'groups' in view;
}

function renderUser(context: Context, view: views.UserView, version: string): string {
  const groups = `"groups":[${withAbsoluteRefs(view.groups, context)}]`;
  const attributes = withAbsoluteRefs(toShownAttributes(view, context), context);
  return `${open(view, attributes)},${groups},${toMeta(view, 'User', version, context)}}`;
}

async function* renderGroups(
  deps: ProviderDeps,
  groups: readonly ShownGroup[],
  projection: Projection,
): AsyncGenerator<string> {
  const lists = await readLists(deps, groups, projection);
  let separator = '';
  for (const shown of groups) {
    const rest = project(await readRest(deps, shown, lists), projection);
    yield `${separator}${JSON.stringify(rest).slice(0, -1)}`;
    separator = ',';
    const members = streamList(deps, shown.view, 'member', lists);
    if (lists.member) yield* renderMembers(members, projection);
    yield '}';
  }
}

async function* renderMembers(
  members: AsyncIterable<string>,
  projection: Projection,
): AsyncGenerator<string> {
  const showsAll = isWholly(projection, 'members');
  let isFirst = true;
  for await (const page of members) {
    const { members } = showsAll ? {} : project({ members: parseShown(page) }, projection);
    if (!showsAll && members === undefined) continue;
    yield `${isFirst ? ',"members":[' : ','}${showsAll ? page : JSON.stringify(members).slice(1, -1)}`;
    isFirst = false;
  }
  if (!isFirst) yield ']';
  else if (projection.only === undefined || showsAll) yield ',"members":[]';
}

type Lists = Awaited<ReturnType<typeof readLists>>;

/** Reads the first part of each list of some groups, and the names of inner groups; undefined: the list is not asked for. */
async function readLists(
  deps: ProviderDeps,
  groups: readonly ShownGroup[],
  projection: Projection,
) {
  const { read } = deps.store;
  const usersUrl = `${deps.baseUrl}/Users`;
  const seqs = groups.map(({ view }) => view.seq);
  const readFirst = (list: LinkList) => views.readShown(read, seqs, { list, after: 0, usersUrl });
  const showsMembers = isIncluded(projection, 'members');
  const inner = showsMembers ? groups.flatMap(({ view }) => view.inner_groups ?? []) : [];
  return {
    member: showsMembers ? await readFirst('member') : undefined,
    admin: isIncluded(projection, GROUP_EXTENSION) ? await readFirst('admin') : undefined,
    inner: await findNames(read, inner, 'group'),
  };
}

/** Users of a list as text, part by part; behind the members of a group its inner groups. */
async function* streamList(
  deps: ProviderDeps,
  view: View,
  list: LinkList,
  lists: Lists,
): AsyncGenerator<string> {
  const shown = { list, usersUrl: `${deps.baseUrl}/Users` };
  yield* views.streamShown(deps.store.read, view.seq, shown, lists[list]?.get(view.seq));
  const ids = list === 'member' ? (view.inner_groups ?? []) : [];
  const inner = ids.flatMap((id) => lists.inner.get(id) ?? []);
  if (inner.length === 0) return;
  yield inner.map((group) => JSON.stringify(toEntry(deps, group, 'Group'))).join(',');
}

async function readRest(
  deps: ProviderDeps,
  { view, version }: ShownGroup,
  lists: Lists,
): Promise<JsonObject> {
  const meta = toMeta(view, 'Group', version, deps);
  const rest: JsonObject = JSON.parse(`${open(view, toShownAttributes(view, deps))},${meta}}`);
  if (lists.admin === undefined) return rest;
  const admins: JsonObject[] = [];
  for await (const page of streamList(deps, view, 'admin', lists)) {
    admins.push(...parseShown(page));
    await nextTurn();
  }
  const extension = { ...toExtension(rest, GROUP_EXTENSION), admins };
  return withSchemas('group', { ...rest, [GROUP_EXTENSION]: extension });
}

/** Reads a resource for filters and orders. A user is read as a whole. */
export async function load(
  deps: ProviderDeps,
  view: View,
  projection: Projection,
): Promise<JsonObject> {
  const shown = show(deps, view);
  if ('text' in shown) return JSON.parse(shown.text);
  let text = '';
  for await (const piece of renderGroups(deps, [shown], projection)) text += piece;
  return JSON.parse(text);
}

/** Entry of a user or an inner group in a list of a group, as every answer shows it. */
export function toEntry(
  { baseUrl }: Pick<Context, 'baseUrl'>,
  { id, display }: { readonly id: string; readonly display: string },
  type: 'User' | 'Group' = 'User',
): JsonObject {
  return { value: id, $ref: toRef(baseUrl, type, id), display, type };
}

/** Users of a list of a group as the store shows them. */
export function parseShown(items: string): JsonObject[] {
  return JSON.parse(`[${items}]`) as JsonObject[];
}

/** `$ref` of a resource with this id. @param baseUrl without a slash at its end */
export function toRef(baseUrl: string, type: ResourceName, id: string): string {
  return `${baseUrl}/${type}s/${id}`;
}

/** Makes references absolute that are stored relative (RFC 7643 §2.3.7). Quotes inside values are escaped, so the searched text is always a `$ref`. */
function withAbsoluteRefs(text: string, { baseUrl }: Context): string {
  return text.includes(RELATIVE) ? text.replaceAll(RELATIVE, () => `"$ref":"${baseUrl}/`) : text;
}

const RELATIVE = '"$ref":"../';

/** The version that a provider is shown: what another one manages lacks the externalId, and the groups of a user are part of it. @see RFC 9110 §8.8.1 */
export function toShownVersion(
  view: Pick<views.ResourceView, 'origin' | 'provider' | 'version'> & { readonly groups?: string },
  { provider }: Pick<Context, 'provider'>,
): string {
  const groups = view.groups ? `-${hash('sha1', view.groups, 'base64url')}` : '';
  return `${view.version}${groups}${isOfOther(provider, view) ? '-other' : ''}`;
}

/** The stored document, with fields where extensions show them; without the externalId where it is another provider's. @see RFC 7643 §3.1 */
function toShownAttributes(view: View, { provider, schemas }: Context): string {
  const type = isUser(view) ? 'user' : 'group';
  const schema = schemas[type];
  const isOther = isOfOther(provider, view);
  if (!isOther && schema.fields.length === 0) return view.document;
  const stored = parseStored<JsonObject>(view.document);
  const { externalId: _, ...foreign } = stored;
  return JSON.stringify(withSchemas(type, withFields(schema, isOther ? foreign : stored)));
}

/** Attributes with the fields of the service also where declared extensions show them. */
export function withFields({ fields }: ResourceSchema, attributes: JsonObject): JsonObject {
  return fields.reduce((shown, path) => {
    const [urn = '', name = ''] = path.keys;
    const value = findValue(attributes, path);
    return withExtension(shown, urn, { ...toExtension(shown, urn), [name]: value });
  }, attributes);
}

/** The stored document without its closing brace, and the id. It always has `schemas`, so a comma fits. */
function open({ id }: View, attributes: string): string {
  return `${attributes.slice(0, -1)},"id":"${id}"`;
}

function toMeta(
  { id, created_at, modified_at }: View,
  type: 'User' | 'Group',
  version: string,
  { baseUrl }: Context,
): string {
  const [created, modified] = [created_at, modified_at].map((ms) => new Date(ms).toISOString());
  const location = toRef(baseUrl, type, id);
  return `"meta":{"resourceType":"${type}","created":"${created}","lastModified":"${modified}","location":"${location}","version":"W/\\"${version}\\""}`;
}
