import { hash } from 'node:crypto';
import type { JsonObject } from '../../domain/json.ts';
import { isOfOther } from '../../domain/provider.ts';
import type { ResourceName } from '../../domain/schemas.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { ResourceView, UserView } from '../../store/resources/views.ts';

/** Parts of the text of a resource beside its own row. */
interface RenderContext {
  /** The SCIM base URL without a slash at its end. */
  readonly baseUrl: string;
  /** Name of the provider that asks. */
  readonly provider: string;
}

/** Text of a resource: whole, or in pieces where it may be too long for the memory. */
export type Pieces = string | AsyncIterable<string>;

/**
 * The answer for a user as text, built from the stored text without parsing it, because providers mostly
 * read.
 */
export function renderUser(view: UserView, context: RenderContext): string {
  const groups = `"groups":[${withAbsoluteRefs(view.groups, context)}]`;
  const attributes = withAbsoluteRefs(toShownAttributes(view, context), context);
  return `${open({ id: view.id, attributes })},${groups},${renderMeta(view, 'User', context)}}`;
}

/** The answer for a group as text; without `members` when they were excluded and so not loaded. */
export function renderGroup(
  view: ResourceView,
  members: string | undefined,
  context: RenderContext,
): string {
  const list = members === undefined ? '' : `"members":[${members}],`;
  const attributes = toShownAttributes(view, context);
  return `${open({ id: view.id, attributes })},${list}${renderMeta(view, 'Group', context)}}`;
}

/** Entry of a user or an inner group in a list of a group, as every answer shows it. */
export function toEntry(
  { baseUrl }: Pick<RenderContext, 'baseUrl'>,
  { id, display }: { readonly id: string; readonly display: string },
  type: 'User' | 'Group' = 'User',
): JsonObject {
  return { value: id, $ref: toRef(baseUrl, type, id), display, type };
}

/** Users of a list of a group as the store shows them. */
export function parseShown(items: string): JsonObject[] {
  return JSON.parse(`[${items}]`) as JsonObject[];
}

/** Where users are: what their `$ref` is before a slash and the id. */
export function toUsersUrl({ baseUrl }: Pick<RenderContext, 'baseUrl'>): string {
  return `${baseUrl}/Users`;
}

/** `$ref` of a resource with this id. @param baseUrl without a slash at its end */
export function toRef(baseUrl: string, type: ResourceName, id: string): string {
  return `${baseUrl}/${type}s/${id}`;
}

/**
 * Makes stored references absolute (RFC 7643 §2.3.7). They are stored relative to their resource, so that they
 * outlive the address of the bridge. Quotes inside values are escaped, so the searched text is always a `$ref`.
 */
function withAbsoluteRefs(text: string, { baseUrl }: RenderContext): string {
  const absolute = `"$ref":"${baseUrl}/`;
  let written = '';
  let from = 0;
  // Parts are joined without a copy: the whole answer is copied once, when it is sent.
  for (let at = text.indexOf(RELATIVE); at >= 0; at = text.indexOf(RELATIVE, from)) {
    written += text.slice(from, at) + absolute;
    from = at + RELATIVE.length;
  }
  return written + text.slice(from);
}

const RELATIVE = '"$ref":"../';

/**
 * The version that a provider is shown. What another one manages lacks the externalId, so it is another representation:
 * no cache may give one for the other. The groups of a user are not part of its row. @see RFC 9110 §8.8.1
 */
export function toShownVersion(
  view: ResourceView | UserView,
  { provider }: Pick<RenderContext, 'provider'>,
): string {
  const groups =
    'groups' in view && view.groups !== '' ? `-${hash('sha1', view.groups, 'base64url')}` : '';
  return `${view.version}${groups}${isOfOther(provider, view) ? '-other' : ''}`;
}

/** The stored document; without the externalId where it is another provider's. @see RFC 7643 §3.1 */
function toShownAttributes(
  view: ResourceView,
  { provider }: Pick<RenderContext, 'provider'>,
): string {
  if (!isOfOther(provider, view)) return view.attributes;
  const { externalId: _, ...shown } = parseStored<JsonObject>(view.attributes);
  return JSON.stringify(shown);
}

/** The stored document without its closing brace, and the id. It always has `schemas`, so a comma fits. */
function open({ attributes, id }: Pick<ResourceView, 'attributes' | 'id'>): string {
  return `${attributes.slice(0, -1)},"id":"${id}"`;
}

function renderMeta(view: ResourceView, type: 'User' | 'Group', context: RenderContext): string {
  const { baseUrl } = context;
  const created = toMoment(view.created_at);
  const modified = toMoment(view.modified_at);
  const location = toRef(baseUrl, type, view.id);
  return `"meta":{"resourceType":"${type}","created":"${created}","lastModified":"${modified}","location":"${location}","version":"W/\\"${toShownVersion(view, context)}\\""}`;
}

/** @see RFC 7643 §2.3.5 */
function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}
