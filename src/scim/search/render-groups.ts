import { setImmediate as nextTurn } from 'node:timers/promises';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { readMembersOfGroups } from '../../store/shown-links.ts';
import { listPeopleOfGroups, type PersonView, type ResourceView } from '../../store/views.ts';
import type { ScimDeps } from '../deps.ts';
import { isIncluded, isPlain, type Projection, project } from '../render/projection.ts';
import { renderGroup, toUserEntry } from '../render/resource-text.ts';

/** Groups whose users are read at once; other requests are served in between. */
const AT_ONCE = 10;

/** Groups as answers, with their users only where the request asks for them. */
export async function renderGroups(
  deps: ScimDeps,
  views: readonly ResourceView<GroupId>[],
  projection: Projection,
): Promise<string[]> {
  const texts: string[] = [];
  for (let start = 0; start < views.length; start += AT_ONCE) {
    if (start > 0) await nextTurn();
    texts.push(...(await renderSome(deps, views.slice(start, start + AT_ONCE), projection)));
  }
  return texts;
}

async function renderSome(
  deps: ScimDeps,
  views: readonly ResourceView<GroupId>[],
  projection: Projection,
): Promise<string[]> {
  const ids = views.map(({ id }) => id);
  const members = isIncluded(projection, 'members')
    ? await readMembersOfGroups(deps.store.read, ids, `${deps.baseUrl}/Users`)
    : undefined;
  const admins = isIncluded(projection, GROUP_EXTENSION)
    ? groupByOwner(await listPeopleOfGroups(deps.store.read, 'group_admins', ids))
    : undefined;
  return views.map((view) => {
    const text = renderGroup(view, members && (members.get(view.id) ?? ''), deps);
    const own = admins?.get(view.id);
    if (own === undefined && isPlain(projection)) return text;
    const resource: JsonObject = JSON.parse(text);
    return JSON.stringify(project(own ? withAdmins(deps, resource, own) : resource, projection));
  });
}

function groupByOwner(links: readonly PersonView[]): Map<string, PersonView[]> {
  const byOwner = new Map<string, PersonView[]>();
  for (const link of links) {
    const list = byOwner.get(link.owner);
    if (list) list.push(link);
    else byOwner.set(link.owner, [link]);
  }
  return byOwner;
}

/** The admin list lives in the extension, which is named in `schemas` as soon as it has a value. */
function withAdmins(
  context: Pick<ScimDeps, 'baseUrl'>,
  resource: JsonObject,
  admins: readonly PersonView[],
): JsonObject {
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
