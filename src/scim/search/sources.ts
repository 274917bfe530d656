import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  countGroups,
  countUsers,
  listGroupViews,
  listUserViews,
  type ResourceView,
  type UserView,
} from '../../store/views.ts';
import type { ScimDeps } from '../deps.ts';
import { type Projection, project } from '../render/projection.ts';
import { renderUser } from '../render/resource-text.ts';
import type { Pace } from './pace.ts';
import { isPlain } from './projection-use.ts';
import { renderGroups } from './render-groups.ts';
import type { Source } from './source.ts';

const EVERYTHING: Projection = { only: undefined, except: new Map() };

/** Attributes of a group that hold people. */
const PEOPLE = ['members', GROUP_EXTENSION] as const;

/** What a request wants of a source. */
interface SourceOptions {
  readonly projection: Projection;
  readonly pace: Pace;
}

/** Users as lists and searches find them. */
export function userSource(deps: ScimDeps, { projection, pace }: SourceOptions): Source<UserView> {
  const { read } = deps.store;
  const toText = (view: UserView) => renderUser(view, deps);
  return {
    count: (selector) => countUsers(read, selector),
    list: (query) => listUserViews(read, query),
    hasPeople: () => false,
    pace,
    load: async (views) => views.map((view) => parseResource(toText(view))),
    render: async (views) =>
      isPlain(projection)
        ? views.map(toText)
        : views.map((view) => projectText(toText(view), projection)),
  };
}

/** Groups as lists and searches find them. */
export function groupSource(
  deps: ScimDeps,
  { projection, pace }: SourceOptions,
): Source<ResourceView<GroupId>> {
  const { read } = deps.store;
  return {
    count: (selector) => countGroups(read, selector),
    list: (query) => listGroupViews(read, query),
    hasPeople: (names) => PEOPLE.some((list) => names.has(list)),
    pace,
    load: async (views, names) =>
      (await renderGroups(deps, views, toNeeded(names))).map(parseResource),
    render: (views) => renderGroups(deps, views, projection),
  };
}

/** People are loaded for a filter only when it looks at them. */
function toNeeded(names: ReadonlySet<string>): Projection {
  const except = new Map<string, 'whole'>();
  for (const list of PEOPLE) {
    if (!names.has(list)) except.set(list, 'whole');
  }
  return except.size === 0 ? EVERYTHING : { only: undefined, except };
}

function projectText(text: string, projection: Projection): string {
  return JSON.stringify(project(parseResource(text), projection));
}

function parseResource(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
