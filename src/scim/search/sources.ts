import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  countGroups,
  countUsers,
  type LinkForm,
  listGroupViews,
  listUserViews,
  type ResourceView,
  readGroupsOfUsers,
} from '../../store/views.ts';
import type { ScimDeps } from '../deps.ts';
import { isIncluded, type Projection, project } from '../render/projection.ts';
import { renderUser } from '../render/resource-text.ts';
import type { Source } from './find.ts';
import { isPlain } from './projection-use.ts';
import { renderGroups } from './render-groups.ts';

const EVERYTHING: Projection = { only: undefined, except: new Map() };

/** Users as lists and searches find them. */
export function userSource(deps: ScimDeps, projection: Projection): Source<ResourceView<UserId>> {
  const { read } = deps.store;

  async function toTexts(views: readonly ResourceView<UserId>[], withGroups: boolean) {
    const ids = views.map(({ id }) => id);
    const groups = withGroups ? await readGroupsOfUsers(read, ids, toGroupForm(deps)) : undefined;
    return views.map((view) => renderUser(view, groups?.get(view.id) ?? '', deps));
  }

  return {
    count: (selector) => countUsers(read, selector),
    list: (query) => listUserViews(read, query),
    load: async (views, names) => (await toTexts(views, names.has('groups'))).map(parseResource),
    async render(views) {
      const texts = await toTexts(views, isIncluded(projection, 'groups'));
      return isPlain(projection) ? texts : texts.map((text) => projectText(text, projection));
    },
  };
}

/** How the groups of a user are written. */
export function toGroupForm({ baseUrl }: ScimDeps): LinkForm {
  return { refPrefix: `${baseUrl}/Groups/`, type: 'direct' };
}

/** Groups as lists and searches find them. */
export function groupSource(deps: ScimDeps, projection: Projection): Source<ResourceView<GroupId>> {
  const { read } = deps.store;
  return {
    count: (selector) => countGroups(read, selector),
    list: (query) => listGroupViews(read, query),
    load: async (views, names) =>
      (await renderGroups(deps, views, toNeeded(names))).map(parseResource),
    render: (views) => renderGroups(deps, views, projection),
  };
}

/** People are loaded for a filter only when it looks at them. */
function toNeeded(names: ReadonlySet<string>): Projection {
  const except = new Map<string, 'whole'>();
  for (const list of ['members', GROUP_EXTENSION]) {
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
