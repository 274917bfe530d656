import type { RequestHandler } from 'express';
import type { ScimDeps } from '../deps.ts';
import { badRequest } from '../errors.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import type { Pieces } from '../render/resource-text.ts';
import type { Repairs } from '../repairs.ts';
import { find } from './find.ts';
import { GROUPS, hasCursor, parsePage, sendPage, toQuery, toSearch, USERS } from './handlers.ts';
import { createPlaceCache } from './places.ts';

/**
 * POST /.search at the root, and GET there: users, then groups, each in the order that the request asks for. @throws ScimError 400. @see RFC 7644 §3.4.2.1, §3.4.3
 */
export function searchAll(deps: ScimDeps): RequestHandler {
  const places = { users: createPlaceCache(deps.store), groups: createPlaceCache(deps.store) };
  return async (req, res) => {
    assertOpen(deps, 'user');
    assertOpen(deps, 'group');
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    if (hasCursor(query)) {
      throw badRequest(
        'invalidCursor',
        'A cursor leads through Users or through Groups, not both.',
      );
    }
    const call = { deps: toProviderDeps(deps, res), query, isForOthers: true };
    const [ofUsers, ofGroups] = [keepUnknown(repairs), keepUnknown(repairs)];
    const users = toSearch(USERS, { ...call, repairs: ofUsers, places: places.users });
    const groups = toSearch(GROUPS, { ...call, repairs: ofGroups, places: places.groups });
    for (const name of ofUsers.unknown.intersection(ofGroups.unknown)) {
      repairs.count('filter-unknown', name);
    }
    const paging = parsePage(query);
    const first = await find(users.source, users.search, paging);
    const then = await find(groups.source, groups.search, {
      offset: Math.max(paging.offset - first.total, 0),
      limit: paging.limit - first.views.length,
    });
    const total = first.total + then.total;
    const count = first.views.length + then.views.length;
    const resources = concat(users.source.render(first.views), groups.source.render(then.views));
    await sendPage(res, { ...paging, total, count }, resources);
  };
}

/** Keeps the names that a type lacks apart, because the other one may have them. */
function keepUnknown(repairs: Repairs): Repairs & { readonly unknown: ReadonlySet<string> } {
  const unknown = new Set<string>();
  return {
    count(kind, name = '') {
      if (kind === 'filter-unknown') unknown.add(name.toLowerCase());
      else repairs.count(kind, name);
    },
    unknown,
  };
}

async function* concat(
  first: AsyncIterable<readonly Pieces[]>,
  then: AsyncIterable<readonly Pieces[]>,
) {
  yield* first;
  yield* then;
}
